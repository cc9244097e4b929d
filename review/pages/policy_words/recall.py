"""What the numbers of recall are called and mean."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from review.pages.policy_words.word import Words

RECALL: Mapping[str, Words] = {
    "recall.keyword_weight": Words(
        _("Weight of words"), _("How much it counts that a memory has the words of the question.")
    ),
    "recall.graph_weight": Words(
        _("Weight of shared rare words"),
        _(
            "What a memory gets that has names or rare words in common with what was found; 0 "
            "switches the graph off."
        ),
    ),
    "recall.semantic_weight": Words(
        _("Weight of meaning"), _("How much it counts that a memory means what the question means.")
    ),
    "recall.importance_weight": Words(
        _("Weight of use"), _("How much it counts that a memory was recalled often.")
    ),
    "recall.top_k": Words(
        _("Hits"), _("How many memories an answer has when the agent does not say.")
    ),
    "recall.candidates": Words(
        _("Candidates of an arm"),
        _("How many memories the search by words, and that by meaning, may each propose."),
    ),
    "recall.newest": Words(
        _("Newest memories"),
        _("How many of the newest memories are looked at in any case, found or not."),
    ),
    "recall.minimum_relevance": Words(
        _("Least relevance of the best"),
        _("If even the best memory is less relevant than this, the answer is empty."),
    ),
    "recall.hit_relevance": Words(
        _("Least relevance of a hit"), _("No memory that is less relevant than this is a hit.")
    ),
    "recall.minimum_coverage": Words(
        _("Least share of words"),
        _(
            "The share of the question's words that a memory must have when only its words can "
            "speak for it."
        ),
    ),
    "recall.session_bonus": Words(
        _("Bonus in the same session"),
        _("What a memory gains when it was said in the session that asks."),
    ),
    "recall.context_weight": Words(
        _("Weight of company"),
        _("How much it counts that a memory was said beside others that match."),
    ),
    "recall.before_weight": Words(
        _("Read with the one before"),
        _("How far a memory is read with the one told just before it in its session."),
    ),
    "recall.after_weight": Words(
        _("Read with the one after"), _("The same for the one told just after it.")
    ),
    "recall.date_boost": Words(
        _("Boost of a date"),
        _("What a memory gains when it happened at the time that is asked about."),
    ),
    "recall.date_half_days": Words(
        _("Reach of a date (days)"),
        _("So many days from the time asked about, half of that boost is left."),
    ),
    "recall.doubtful_below": Words(
        _("Doubtful below"), _("A memory of less confidence than this is ranked as doubtful.")
    ),
    "recall.doubtful_factor": Words(
        _("Weight of the doubtful"), _("What is left of a doubtful memory's score.")
    ),
    "recall.decay_curve": Words(
        _("Course of forgetting"), _("How the weight of a memory falls with its age.")
    ),
    "recall.decay_per_day": Words(
        _("Forgetting a day"),
        _("How fast it falls: the higher, the sooner a memory is old."),
    ),
    "recall.decay_weight": Words(
        _("Weight of age"),
        _("How much of a score age may take at most. High values hide what is old but right."),
    ),
    "recall.feedback_weight": Words(
        _("Weight of feedback"),
        _(
            "The share of a score that everybody's feedback together may add or take. One agent "
            "alone moves it by a fifth of that at most. 0 switches it off."
        ),
    ),
    "recall.feedback_prior": Words(
        _("Voices for half of it"),
        _("How many voices make half of the weight of feedback: with more, each one is weaker."),
    ),
    "recall.rerank_weight": Words(
        _("Weight of reranking"),
        _(
            "How far the word of the reranking model replaces the score of the first hits. Only "
            "where the server has such a model; 0 switches it off."
        ),
    ),
}
