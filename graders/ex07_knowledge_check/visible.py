"""The visible check of exercise 7: every question has an answer of the kind that it asks for."""

from graders.engine.judge.vocabulary import TEXT, TRUE_FALSE, Answers, Kind, expect_answered, objective

ORIGINS = {
    "a": "in Word2Vec",
    "b": "in the paper of 2017 that introduced the Transformer",
    "c": "in ResNet",
}
BERT = {
    "a": "learned absolute positions, together with segment embeddings",
    "b": "no positions at all",
    "c": "sinusoidal encodings and nothing else",
}
VIT = {
    "a": "to the softmax",
    "b": "to the raw pixels only",
    "c": "to the tokens, which are the patches and the class token",
}
QUESTIONS: dict[str, Kind] = {
    "why_positions": TEXT,
    "learned_by_backprop": TRUE_FALSE,
    "origin_of_sinusoids": ORIGINS,
    "combination": TEXT,
    "longer_than_table": TRUE_FALSE,
    "bert_positions": BERT,
    "lecture_of_sinusoids": TEXT,
    "why_relative": TEXT,
    "vit_positions": VIT,
    "two_names": TRUE_FALSE,
}


@objective("explain")
def check_form(answers: Answers) -> None:
    """each of the ten questions has an answer: true or false, a letter, or a sentence"""
    expect_answered(answers, QUESTIONS)
