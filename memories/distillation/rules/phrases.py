"""The sentences of what calls teach, in the language the user writes; they state what was seen."""

from collections.abc import Sequence

SHOWN = 2
"""Steps between failure and success that a lesson names."""


def short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def code(command: str, most: int = 70) -> str:
    return f"`{short(command, most)}`"


def lesson(failed: str, error: str, steps: Sequence[str], worked: str, *, zh: bool) -> str:
    """`worked` is the command that succeeded, "" if it is the one that had failed."""
    why = short(error, 120)
    if zh:
        after = f"执行 {_steps(steps, zh=zh)} 之后" if steps else ""
        how = f"{after}改为 {code(worked)} 成功" if worked else f"{after}重试成功"
        return f"{code(failed)} 失败{f'：{why}' if why else ''}；{how}。"
    after = f" after {_steps(steps, zh=zh)}" if steps else ""
    how = f"{code(worked)} worked" if worked else "it worked"
    return f"{code(failed)} failed{f' with {why}' if why else ''}; {how}{after}."


def incident(failed: str, error: str, times: int, *, zh: bool) -> str:
    why = short(error, 160)
    if zh:
        often = f" {times} 次" if times > 1 else ""
        return f"{code(failed)} 失败{often}{f'：{why}' if why else ''}；其后没有看到成功。"
    often = f" {times} times" if times > 1 else ""
    return f"{code(failed)} failed{often}{f' with {why}' if why else ''}; no success followed."


def procedure(task: str, steps: Sequence[str], left_out: int, *, zh: bool) -> str:
    most = min(70, 240 // len(steps))
    shown = " → ".join(code(step, most) for step in steps)
    if zh:
        what = f"“{task}”：" if task else ""
        which = f"前面另有 {left_out} 步，最后 {len(steps)} 步" if left_out else ""
        return f"{what}{which}依次执行成功：{shown}。"
    what = f"For “{task}” these" if task else "These"
    which = f" (the last {len(steps)} of {len(steps) + left_out})" if left_out else ""
    return f"{what} steps{which} succeeded in this order: {shown}."


def how_to_fix(failed: str, error: str, *, zh: bool) -> str:
    why = short(error, 100)
    if zh:
        return f"{code(failed)} 失败{f'（{why}）' if why else ''}怎么办？"
    return f"What to do when {code(failed)} fails{f' with {why}' if why else ''}?"


def how_to_do(task: str, last: str, *, zh: bool) -> str:
    if task:
        return f"怎样完成“{task}”？" if zh else f"How to do this: {task}"
    return f"怎样做到 {code(last)} 成功？" if zh else f"Which steps lead to {code(last)}?"


def worth_of_lesson(*, zh: bool) -> str:
    return "下次遇到同样的失败时知道怎样解决。" if zh else "Tells what got past the same failure."


def worth_of_procedure(*, zh: bool) -> str:
    return (
        "同类任务可以照做，不必重试走不通的办法。" if zh else "Steps to follow for a task like it."
    )


def worth_of_incident(*, zh: bool) -> str:
    return "说明这条路走不通。" if zh else "Tells that this did not work."


def _steps(steps: Sequence[str], *, zh: bool) -> str:
    shown = ("、" if zh else " and ").join(code(step, 60) for step in steps[-SHOWN:])
    if len(steps) <= SHOWN:
        return shown
    return f"{len(steps)} 步（最后是 {shown}）" if zh else f"{len(steps)} steps, the last {shown}"
