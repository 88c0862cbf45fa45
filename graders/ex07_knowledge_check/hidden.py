"""Hidden checks of exercise 7: the key. Each wording is one way to say it; add a line where a student finds another.

How wordings are written stands in graders/engine/judge/written/wordings.py. They are wide on purpose: whoever denies
attention the order, in whatever words, is right. What is wrong all the same stands under ``denies``.
"""

from graders.engine.judge.vocabulary import (
    Answers,
    Idea,
    expect_choice,
    expect_idea,
    expect_true_false,
    objective,
)
from graders.ex07_knowledge_check.visible import BERT, ORIGINS, VIT

# ---------------------------------------------------------------- why_positions

ORDER = "order|orders|ordered|ordering*|oder|word_order|sequential*|arrang*|succession|chronolog*"
PLACE = "position*|location*|placement|address*|coordinate*"
WHERE = (
    "where|wherever|place|places|index|indices|sequence*|time|first|before|after|earlier|later|next|front|behind|left|"
    "preced*|comes|i_or_j|i_and_j|direction|close|adjacent|nearby|neighbour*|neighbor*"
)
KNOW = (
    "know*|knew|see|sees|seen|seeing|sense*|notice*|notion*|recogni*|distinguish*|differentiat*|discern*|detect*|tell|"
    "tells|aware*|understand*|understood|perceiv*|captur*|represent*|encod*|track*|keep*|kept|account*|consider*|care|"
    "cares|infer*|determin*|identif*|idea|concept*|clue*|information|info|knowledge|sensitiv*|depend*|preserv*|"
    "respect*|inherent*|built|intrinsic*|inbuilt|observ*|figure|difference*|retain*|reflect*|exist*|feel*|grasp*|"
    "recover*|look*|"
    "separat*|memory|remember*|sign|signal*|say|says|indicat*|show*|reveal*|mention*|refer*|involv*|includ*|contain*|"
    "matter*"
)
BLIND = (
    "blind*|ignor*|agnostic*|unaware|oblivious|insensitiv*|invarian*|indifferen*|independen*|lose|loses|losing|loose|"
    "looses|lost|irrespective|regardless|discard*|invisible|unknown|unseen|disregard*|irrelevant|destroy*|neglect*|"
    "vanish*|disappear*|gone|forget*|meaningless|throw*|drop*|guess*"
)
SAME = "same|identical*|equal*|unchanged|alike|indistinguish*|equivalent|interchang*"
SHUFFLE = (
    "shuffl*|permut*|reorder*|swap*|rearrang*|scrambl*|exchang*|revers*|mix|mixed|mixing|mov*|jumbl*|trade|trading|"
    "switch*|backward*"
)
CHANGE = "matter*|effect*|influenc*|affect*|impact*|chang*|alter*|differ*|count*|notic*|know*|see"
BAGS = "set|bag|sets|bags|heap|pile|soup|graph|collection*"
RNN = "-rnn*|recurrent|recurrence|lstm*|cnn*|convolution*"
ATTENTION = "-attention*|transformer*|model*|it|layer*|sum|network|operation*"

WHY_POSITIONS = Idea(
    sought="a reason that lies in how self-attention treats its input",
    given="position*|encod*|embed*|pe|signal*|information|info",
    wordings=(
        # It is equivariant.
        "equivari*|equvari*",
        "permut*|order*|reorder* invari*|agnostic*|symmetr*",
        "symmetr*|commutat*|commutes attention*|operation*|mechanism*|layer*|token*|input*|sum*",
        # It has no order, it does not know places, it loses them.
        f"not: {ORDER} -batch*|epoch*|vocabulary|converg*",
        f"not: {PLACE} -learn*|train*|work*|converg*|help*|require*",
        f"not: {KNOW} {WHERE} -batch*|epoch*",
        f"not: {KNOW}|model|use it|this|that|them , {ORDER}|{PLACE}",
        f"not: {KNOW} , {ORDER}|left|right|first|last|before|after|near|far|earlier|later -batch*|epoch*",
        f"not: component*|mechanism*|anything|module*|part|layer|means|way|element* , {ORDER}|{PLACE}|{WHERE}",
        f"not: learn* {ORDER}|come|comes|before|after -batch*|epoch*",
        f"not: {CHANGE}|play*|part|role , {ORDER}|{PLACE}|{WHERE}",
        f"not: {PLACE}|{WHERE} , depend*|based|compar*|content*|look*|care|cares|what",
        f"not: {KNOW} , {SHUFFLE}|quotation",
        f"{BLIND} , {ORDER}",
        f"{BLIND} {PLACE}|{WHERE} -earlier|before|word|words|token",
        f"{BLIND} where|wherever|place|places",
        f"blind|agnostic*|oblivious|insensitiv*|unaware {PLACE}",
        f"nothing..attention|nothing..formula|nothing..softmax , index|indices|{PLACE}",
        "restor*|bring_back|brings_back|give_back|gives_back|reintroduc* order*",
        # It takes in all of them at once, as a bag.
        "not: recurren*|rnn|convolution* -fast*|speed*",
        "parallel*|simultaneous*|at_once|same_time , not|rather|instead|unlike",
        "unordered|orderless|order_less|order_free|multiset*",
        f"treat*|see|sees|seen|view*|handl*|process*|regard*|look*|works|operat* {BAGS}",
        "|".join(f"{like}..{bag}" for like in ("as", "like", "is", "are") for bag in BAGS.split("|")),
        "bag_of_words|bag_of_tokens|set_of_tokens|set_of_words|set_operation*|set_function*|into_a_bag|into_a_hat",
        # Shuffle the input, and nothing else changes.
        f"{SAME} , {SHUFFLE}|quotation|regardless|irrespective|whatever|wherever",
        f"{SAME} , different|another|other|any|every {PLACE}|{WHERE}",
        f"{SAME} , {ORDER} -same_order|keep*|preserv*",
        f"{SAME} dog|cat|bites|all_positions|every_position|each_position|all_places|every_place",
        f"same_word*..{SAME.replace('|', '|same_word*..')}",
        "look*_same|look*_the_same|be_the_same|be_identical|look*_alike|look*_identical sentence*|model*|attention|it",
        f"{SHUFFLE}|chang*..only output*|result*",
        f"not: {CHANGE} , {SHUFFLE}",
        # It looks at contents alone.
        "depend*|based|comput*|work* only|solely|purely|just|alone content*|what|vectors|meaning|similarit*|value*",
        f"treat*|see|sees|view* {SAME} token*|word*|position*|input*",
        "all|every token*|word*|position* equally",
    ),
    denies=(
        # "So positions make it equivariant", "it is not equivariant".
        "need*..to_be..equivari*|position*..to_be..equivari*|to_make..equivari*|to_become..equivari*",
        "equivari* , because_of..position*|due_to..position*|thanks_to..position*",
        "rnn*|lstm*|recurrent equivari*|invari* -unlike|not|while|whereas|but",
        "not: blind|ignor*|agnostic*|unaware|lose|loses|equivari*|invari* attention|transformer*|model*|it|they "
        f"{RNN}|with|once|after|added|anymore|then",
        # "Positions are not needed."
        f"not: need*|necessary|require* position*|encod*|embed*|them|they {RNN}|without",
        f"unnecessary|optional|redundant|superfluous position*|encod*|embed*|them|they {RNN}",
        # "Attention knows the order already", "it reads from left to right".
        "already|itself|inherently|automatically|naturally|anyway|own|alone|able|default "
        "know*|see|sees|learn*|encod*|understand*|has|captur*|recogni*|preserv*|tell|tells|process* "
        f"order*|position*|sequence|where {RNN}",
        "attention|attention_mechanism know*|see|sees|understand*|recogni*|preserv*|keep*|sensitive|comput*|deriv*|"
        f"infer*|extract* order|word_order|positions {RNN}|position|positional|with|can|help*|let|lets|so|to_know",
        "recurrent|recursive|sequential*|step_by_step|one_by_one|one_after|left_to_right transformer*|attention|token* "
        "-rnn*|lstm*|unlike|than|instead|not|no",
        # "Order does not matter in language."
        f"not: matter*|relevant|important order|position* language*|meaning|sentence*|text|understand* {ATTENTION}",
        f"irrelevant|unimportant order|position* language*|meaning|sentence*|text|understand* {ATTENTION}",
        "not: word_order important",
        # Other troubles of networks, and memory that fades.
        "vanish*|explod* gradient*",
        "dropout",
        "forget*|lose*|loses old|older|earlier|long|distant token*|word*|sequence*",
        "only neighbour*|neighbor*|nearby|close token*|word*|look*|see*|sees",
        "attention good order",
        # The contrary of what is so.
        "shuffl*|permut*|reorder* change*|alter* output*|result*|everything|completely -not|nothing|same|only|also",
    ),
)

# ---------------------------------------------------------------- combination

COMBINATION = Idea(
    sought="the name of the operation that makes one vector of the two",
    wordings=("add|adds|added|adding|addition|additions|additive*|additon|adition|aditon|addtion|sum|sums|summ*|plus",),
    denies=(
        # Another operation, unless it is named as the rarer one.
        "concat*|append*|attach*|join*|stack*|glue*|prepend*|cat "
        "-some|sometimes|rare|rarely|seldom|possible|alternativ*|could|would|few|other|others|occasional*",
        "multipl*|hadamard -scal*|sqrt|factor*|root|weight*|constant|sometimes",
        "product* -scal*|query|queries|attention",
        "averag*|mean|divid*|half|maximum|larger|subtract*|minus",
        # "Added" in another sense.
        "attention_adds|attention_layer_adds|add*_weight*|add*_a_weight|output..attention",
        "to_the_end|at_the_end|side_by_side|next_to|as..token*|as..dimension*|as..column*|as..feature*",
        "extra|additional|new|more dimension*|column*|token*|feature*",
        "a_layer|linear_layer|extra_layer|additional..layer|another_layer|mlp",
    ),
)

# ---------------------------------------------------------------- lecture_of_sinusoids

LECTURE_OF_SINUSOIDS = Idea(
    sought="the title of a lecture of Module 10.1",
    wordings=("position*_encod*|position*_encoding*|positionalencod*|sinusoid*_encod*",),
    denies=(
        "position*_embed*|positionalembed* "
        "-before|not|unlike|next|after|previous|earlier|this|than|10.2|learned|learnt",
        "encod*_or_embed*|encod*_or_position*_embed*|embed*_or_position*_encod*",
        "position*_encod* , and_embed*|and_position*_embed* -is|was|10.2",
        "10.2 -before|not|unlike|next|after|than|embed*",
    ),
)

# ---------------------------------------------------------------- why_relative

OLD = "absolute*|table*|learned|learnt|fixed|old"
NEW = "relative*|rotary|rope|alibi|they|these|it|methods"
THEY = "relative*|rotary|rope|alibi|they|these"
LIMIT = "maximum|max|max_len|limit*|bound*|cap|capped|ceiling|restrict*"
REACH = "length*|extrapolat*|unseen|unlimited|infinite|endless|for_ever|forever|extend*|extension*|beyond"
LENGTH = f"long|longer|{REACH}"
# Words that say little alone: "longer" and "between" need one of what these schemes are about.
WITH_LONG = "conversation*|chat*|ones|than|train*|inference|book*|article*|novel*|code|data|memory|sentence*|paragraph*"
WITH_NEAR = "token*|word*|position*|place*|index*|indices|pair*|two|each_other|one_another|another|things|elements"
TEXT = "sequence*|sequenz*|context*|input*|text*|document*|window*|prompt*|token*|position*|range|dependenc*"
CARRY_ON = "extrapolat*|generali*|handl*|work|works|cope*|scale*|process*|deal|support*|represent*|cover*"
DISTANCE = (
    "distance*|offset*|apart|gap|how_many|how_far|nearby|adjacent|neighbour*|neighbor*|local*|proximity|tokens_back|"
    "words_back|places_back"
)
NEAR = f"{DISTANCE}|relation|relations|relationship*|far|between|difference*|close|near|before|away"
SHIFT = "shift*|mov*|translat*|insert*|prepend*|put|slid*|start*|begin*|front"

# Any clear reason will do: what is about length, distance or shifts is taken for one, unless it is denied below.
WHY_RELATIVE = Idea(
    sought="something that these schemes handle better than a table of absolute positions",
    wordings=(
        # Length.
        f"{REACH} -name*|deep*|write|spell|download",
        f"long|longer {TEXT}|{WITH_LONG} -name*|deep*|write|spell|download",
        f"not: {LENGTH}",
        f"generali* {TEXT}",
        f"larger|bigger|more|further|arbitrary|variable|any|different|past {TEXT}|{LIMIT}",
        "over|past|outside train*",
        f"grow|grows|enlarg*|stretch*|increas* {TEXT}|{LIMIT}",
        f"flexib* , {TEXT}|max*",
        f"not: seen|saw|see|sees|trained , {TEXT}|{OLD}",
        f"not: {LIMIT}|run_out|runs_out|out_of_range",
        f"not: problem|issue|obstacle {LIMIT}",
        "not: need*|require* , table*",
        "not: last|final|end row*|position*|place*",
        f"not: fixed|fix|choose number|size|{LIMIT}|position*",
        "not: table*|rows , run*|end*|limit*|need*|have|has|require*",
        f"not: {CARRY_ON}|extend*|grow|grows|enlarg*|past|train*|seen|learn*|can_not {OLD}",
        "not: learn*|train* each|every|separate*",
        f"{OLD} limits|limit|limited|caps|restricts|brittle|ends|end|stop*|fail*|break*|undefined|poor*",
        # Distance.
        f"{DISTANCE}",
        f"not: {DISTANCE}",
        f"{NEAR} {WITH_NEAR}",
        f"not: {NEAR} {WITH_NEAR}",
        "relativ*_position*|relativ*_order|relativ*_place* -write|spell|bert*",
        "depend* relative*|i_j|m_n|j_i|n_m",
        # Shifts.
        f"{SHIFT} , invarian*|robust*|equivarian*|handl*|cope*|same|unchanged|remain*|stay*|keep*",
        f"not: {SHIFT}",
        f"not: break*|chang*|matter*|affect*|alter*|hurt*|care|cares|mind|fail*|disturb*|confus* , {SHIFT}",
        f"absolute*..chang* , {SHIFT}|add*",
        "same|alike|equal*|pattern*|recogni* , wherever|regardless|anywhere|everywhere|any_position|every_position",
        "stand|stands to_each_other|to_one_another",
        "means|learn* all_positions|every_position|all_places|once",
        "independent*|regardless|irrespective absolute*|index*",
        "not: depend*|care|matter* where|absolute*",
        # Cost.
        "fewer|less parameter*|table*",
        "not: parameter*|weights need*|extra|additional|learn*|have|require*|add|adds|there",
    ),
    denies=(
        # "They do not do it", "they have a limit too".
        f"not: {CARRY_ON}|beyond|past {NEW} -{OLD}|max|limit*|unlike",
        f"not: use|used|go|reach|get|exceed* beyond|long*|max*|{LIMIT} {NEW} -{OLD}|need*|require*",
        f"not: capture*|model*|know*|see|consider* {NEAR} {THEY} -{OLD}",
        "not: distance*|offset* depend*|use|matter*",
        "perfect*|guarantee* length*|quality|everything",
        f"not: {LENGTH} {THEY} -{OLD}|{LIMIT}|break*|fail*|mind|problem*|trouble|stuck|depend*|need*|require*|degrad*|"
        "confus*|hurt*|matter*|care|disturb*|chang*",
        f"fail*|break*|collaps*|suffer* {THEY} -{OLD}|not|no|never|less|than|without|unlike|other",
        "ignor*|independent*|forget* distance*|how_far|far|apart|order",
        "rope_is_limited|they_are_limited|rotary..limited|relative*..limited",
        f"limited|limit|limits|shorten* {THEY}|length*|sequence* -not|no|{OLD}|less",
        f"have|has|need* maximum|max_len|max {THEY} -not|no|without",
        "context limited -not|no|table*|absolute*",
        "need*..table|bigger_table|larger_table|longer_table|bigger_max_len|need*..max_len -not|no",
        "use..table*|use..absolute*|is_a_table|only_absolute|have_absolute -not|no|longer|instead|without",
        "only short*",
        # "Absolute tables do."
        f"{OLD} unlimited|infinite|any_length|as_long_as|all_lengths|no_limit|for_ever|forever "
        "-than|unlike|not|can_not",
        "absolute*..have_no|absolute*..has_no|tables_have_no|table_has_no -row|rows|entry|entries|place|places|longer",
        "absolute*..extrapolat*|absolute*..generali*|learned..extrapolat*|table*..extrapolat* "
        "-than|unlike|compared|worse|poor*|bad*|hard*|less|no|relative*..extrapolat*|relative*..generali*|they",
        "absolute*..better|learned_table*..better|learned_position*..better|learned_embed*..better -than_absolute",
    ),
)

IDEAS = {
    "why_positions": WHY_POSITIONS,
    "combination": COMBINATION,
    "lecture_of_sinusoids": LECTURE_OF_SINUSOIDS,
    "why_relative": WHY_RELATIVE,
}


def reread(section: str) -> str:
    """Return the hint of every check: where in the lesson the answer is to be found."""
    return f'Reread "{section}" in exercises/README.md.'


@objective("explain")
def check_why_positions(answers: Answers) -> None:
    """the reason why a Transformer needs positions lies in self-attention"""
    expect_idea(answers, "why_positions", IDEAS, hint=reread("Why order is needed"))


@objective("stack")
def check_combination(answers: Answers) -> None:
    """token and position become one vector by the usual operation"""
    expect_idea(answers, "combination", IDEAS, hint=reread("Where positions enter the stack"))


@objective("contrast")
def check_lecture(answers: Answers) -> None:
    """the lecture on the fixed vectors has the title that Module 10.1 gives it"""
    expect_idea(answers, "lecture_of_sinusoids", IDEAS, hint=reread("Encoding and embedding"))


@objective("preview")
def check_why_relative(answers: Answers) -> None:
    """relative and rotary schemes became popular for a reason"""
    hint = reread("Relative and rotary positions: a preview")
    expect_idea(answers, "why_relative", IDEAS, hint=hint)


@objective("limits")
def check_learned_table(answers: Answers) -> None:
    """what training does to a learned table, and what the table does with long sequences"""
    expect_true_false(answers, "learned_by_backprop", True, hint=reread("Encoding and embedding"))
    expect_true_false(answers, "longer_than_table", False, hint=reread("Length limits and extrapolation"))


@objective("contrast")
def check_origins(answers: Answers) -> None:
    """where the sinusoidal encoding comes from, and how this course uses the two words"""
    hint = reread("Encoding and embedding")
    expect_choice(answers, "origin_of_sinusoids", "b", options=ORIGINS, hint=hint)
    expect_true_false(answers, "two_names", True, hint=reread("One misconception"))


@objective("stack")
def check_uses(answers: Answers) -> None:
    """what BERT uses, and what a Vision Transformer adds its positions to"""
    expect_choice(answers, "bert_positions", "a", options=BERT, hint=reread("Encoding and embedding"))
    hint = reread("Patches: the Vision Transformer")
    expect_choice(answers, "vit_positions", "c", options=VIT, hint=hint)
