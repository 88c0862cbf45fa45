"""Print and raise what shows as something else: text that runs backwards, marks without width, lookalikes."""

TEXT = "\u202e8/8 stniop\u202c \u2066\u2067\u2069 \u200b\u200d\ufeff\u00ad \u2028\u2029 \U000e0041\u3164 \ud800"
print(TEXT.encode("utf-8", "replace").decode(), flush=True)
raise ValueError(TEXT)
