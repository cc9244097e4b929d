"""What one verdict says, and the cases a reviewer would name."""

import pytest

from memories.writing.compare import Statement, Verdict, compare

from .pairs import E5_SMALL


def judged(
    old: str, new: str, cosine: float | None = 0.92, *, subjects: tuple[str, str] = ("", "")
) -> Verdict:
    return compare(Statement(new, subjects[1]), Statement(old, subjects[0]), cosine, E5_SMALL)


@pytest.mark.parametrize(
    ("old", "new", "reason", "detail"),
    [
        (
            "The order service uses PostgreSQL.",
            "The order service uses MySQL 8.",
            "value_replaced",
            "PostgreSQL → MySQL",
        ),
        (
            "我们公司用 PostgreSQL，不是 MySQL",
            "公司数据库已经换成 MySQL 8",
            "value_replaced",
            "PostgreSQL → MySQL",
        ),
        (
            "docker 部署 端口 8080",
            "docker 部署 端口 8080 改成 9090",
            "value_replaced",
            "8080 → 9090",
        ),
        ("The user eats meat.", "The user does not eat meat.", "negation", ""),
        ("默认启用深色模式。", "默认停用深色模式。", "negation", ""),
        ("The repository is public.", "The repository is private.", "antonym", "public → private"),
        ("Backups run at 02:00.", "Backups run at 4:30 am.", "time", "02:00 → 4:30 am"),
        ("合同 3 月 31 日到期。", "合同 2027-06-30 到期。", "date", "3 月 31 日 → 2027-06-30"),
        ("The limit is 2 GB.", "The limit is 512 MB.", "number", "2 GB → 512 MB"),
        ("Require Python 3.9.", "Require Python 3.12.", "version", "3.9 → 3.12"),
        ("The user lives in Shanghai.", "The user moved to Berlin.", "place", "Shanghai → Berlin"),
        ("Drain the queue before you restart.", "Restart before you drain the queue.", "order", ""),
    ],
)
def test_it_says_why_and_what_changed(old: str, new: str, reason: str, detail: str) -> None:
    verdict = judged(old, new)
    assert (verdict.kind, verdict.reason) == ("conflict", reason)
    assert verdict.detail == detail


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Staging runs Kubernetes 1.29.", "Production runs Kubernetes 1.31."),
        ("The user speaks English.", "The user also speaks Chinese."),
        ("The user drinks coffee.", "The user drinks no coffee after 5 pm."),
        ("The user lives in Rome.", "The user would like to live in Oslo."),
        ("会议在周一。", "会议是在周二吗？"),
        ("用户以前住在开罗。", "用户住在苏黎世。"),
        ("Li Wei leads the payments team.", "Li Wei leads the search team."),
        ("支付团队的负责人是李伟。", "搜索团队的负责人是王芳。"),
    ],
)
def test_it_leaves_compatible_statements_alone(old: str, new: str) -> None:
    assert judged(old, new).kind == "distinct"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Logs are kept for 14 days.", "Logs are kept for two weeks."),
        ("备份在凌晨两点运行。", "备份在 02:00 运行。"),
        ("Dark mode is disabled.", "Dark mode is not enabled."),
        ("不要跳过代码评审。", "代码评审不能跳过。"),
        ("Logs are kept for 1 year.", "Logs are kept for 12 months."),
        ("伺服器位於東京。", "伺服器位于东京。"),
    ],
)
def test_it_knows_the_same_thing_said_otherwise(old: str, new: str) -> None:
    assert judged(old, new, 0.95).kind == "duplicate"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Anna met Tom on 3 May.", "Anna met Tom on 9 June."),
        ("Anna met Tom.", "Anna met Paul."),
        ("Anna reports to Victor.", "Victor reports to Anna."),
        ("The trial costs 20 euros.", "The trial costs 20 euros and lasts 14 days."),
        ("用户去过里斯本。", "用户去过布拉格。"),
    ],
)
def test_it_never_merges_another_date_name_or_number(old: str, new: str) -> None:
    assert judged(old, new, 0.99).kind != "duplicate"


def test_it_trusts_an_equal_subject_key() -> None:
    old, new = "Orders live in PostgreSQL 14 on db-3.", "MySQL it is, since the audit."
    assert judged(old, new, 0.5).kind == "distinct"
    keyed = judged(old, new, 0.5, subjects=("order-service/database", "Order-Service/Database"))
    assert (keyed.kind, keyed.reason) == ("conflict", "same_subject")


def test_it_never_sets_different_subject_keys_against_each_other() -> None:
    verdict = judged("It uses MySQL.", "It uses Oracle.", 0.99, subjects=("a/db", "b/db"))
    assert verdict.kind == "distinct"


def test_it_does_not_take_unlike_statements_for_a_conflict() -> None:
    assert judged("The user eats meat.", "The user does not eat meat.", 0.5).kind == "distinct"


def test_it_decides_on_words_alone_without_an_embedding() -> None:
    assert judged("The user eats meat.", "The user does not eat meat.", None).kind == "conflict"
    assert judged("The user eats meat.", "User eats meat!", None).kind == "duplicate"
    assert "cosine" not in judged("a b", "c d", None).scores


def test_it_finds_a_repetition_across_languages() -> None:
    verdict = judged("Log files are kept for 14 days.", "日志文件保留两周。", 0.88)
    assert verdict.kind == "duplicate"
    assert judged("Log files are kept for 14 days.", "日志文件保留三周。", 0.88).kind != "duplicate"
