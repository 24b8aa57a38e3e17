"""Sources and licence notes that several tasks share."""

from __future__ import annotations

SENTEVAL = "https://github.com/facebookresearch/SentEval"
SHORT_TEXTS = "https://github.com/rashadulrakib/short-text-clustering-enhancement/tree/master/data"
STC2 = "https://github.com/jacoxu/STC2"
STS_WIKI = "http://ixa2.si.ehu.es/stswiki/images"
PANG_LEE = "https://www.cs.cornell.edu/people/pabo/movie-review-data/"

MIXED = "mixed: its parts come from news, forums and captions, each under its own terms; research use"
UNSTATED = "not stated by its authors; research use"
