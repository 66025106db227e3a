"""Makes requests and the plans that they should become, from phrases and words drawn at random."""

import json
from random import Random
from string import ascii_lowercase as LETTERS

from . import words

Step = dict
Clause = tuple[str, Step]  # what the user says, and the step that does it


def todo(operation: str, **fields) -> Step:
    return {"tool": "TodoStore", "input": {"operation": operation, **fields}}


def calculation(expression: str, **fields) -> Step:
    return {"tool": "Calculator", "input": {"expression": expression, **fields}}


class Examples:
    """A source of pairs of request and plan, as endless as its random numbers."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.most_clauses = 3
        self.clause_makers = {
            self.add: 25, self.add_with_priority: 6, self.show: 11, self.show_with_status: 3, self.complete: 14, self.delete: 12,
            self.search: 8, self.clear: 4, self.calculate: 20,
        }  # fmt: skip

    def next(self) -> tuple[str, str]:
        """A request, and the plan as the JSON that the model shall answer."""
        request, steps = self.impossible() if self.chance(0.13) else self.possible()
        plan = json.dumps({"steps": steps}, separators=(",", ":"), ensure_ascii=False)
        return self.dress(request), plan

    # Requests ---------------------------------------------------------------------------------------------------------------

    def possible(self) -> tuple[str, list[Step]]:
        request, steps, result = "", [], None
        clauses = min(self.random.choices([1, 2, 3], [48, 38, 14])[0], self.most_clauses)
        for index in range(clauses):
            text, step = self.follow_up(result) if result and self.chance(0.6) else self.clause()
            steps.append(step)
            if step["tool"] == "Calculator":
                result = f"s{len(steps)}.value"
            request += (self.pick(words.CONNECTORS) if index else "") + text
        return request, steps

    def impossible(self) -> tuple[str, list[Step]]:
        texts = [self.fill(words.IMPOSSIBLE) for _ in range(2 if self.chance(0.1) else 1)]
        return self.pick(words.CONNECTORS).join(texts), []

    def dress(self, request: str) -> str:
        """What people put around a request. No phrase begins with what is copied, so the capital letter is never part of it."""
        if self.chance(0.25):
            request = self.pick(words.OPENINGS) + request
        if self.chance(0.3):
            request = request[0].upper() + request[1:]
        if self.chance(0.25):
            request += self.pick(words.ENDINGS)
        return request

    # Clauses ----------------------------------------------------------------------------------------------------------------

    def clause(self) -> Clause:
        makers = self.clause_makers
        return self.random.choices(list(makers), list(makers.values()))[0]()

    def add(self) -> Clause:
        title = self.title()
        return self.pick(words.ADD).format(title=title), todo("add", title=title)

    def add_with_priority(self) -> Clause:
        slots = {"title": self.title(), "priority": self.pick(["low", "medium", "high"])}
        return self.pick(words.ADD_WITH_PRIORITY).format(**slots), todo("add", **slots)

    def show(self) -> Clause:
        return self.pick(words.LIST), todo("list")

    def show_with_status(self) -> Clause:
        status = self.pick(["pending", "completed"])
        return self.pick(words.LIST_WITH_STATUS).format(status=status), todo("list", status=status)

    def complete(self) -> Clause:
        text, target = self.target()
        return self.pick(words.COMPLETE).format(target=text), todo("complete", **target)

    def delete(self) -> Clause:
        text, target = self.target()
        return self.pick(words.DELETE).format(target=text), todo("delete", **target)

    def search(self) -> Clause:
        query = self.word(words.NOUNS)
        if self.chance(0.25):
            query = f"{self.word(words.VERBS)} {query}"
        return self.pick(words.SEARCH).format(query=query), todo("search", query=query)

    def clear(self) -> Clause:
        if self.chance(0.3):
            return self.pick(words.CLEAR_COMPLETED), todo("clear", onlyCompleted=True)
        return self.pick(words.CLEAR), todo("clear")

    def calculate(self) -> Clause:
        if self.chance(0.2):
            return self.calculate_two()
        spoken, expression = self.expression()
        return self.pick(words.CALCULATE).format(expression=spoken), calculation(expression)

    def calculate_two(self) -> Clause:
        operator, first, second = self.pick("+-*/"), self.number(), self.number()
        text = self.pick(words.CALCULATE_TWO[operator]).format(first=first, second=second)
        return text, calculation(f"{first} {operator} {second}")

    def follow_up(self, result: str) -> Clause:
        """A clause that uses an earlier result, such as "s1.value"."""
        if self.chance(0.5):
            return self.pick(words.ADD_RESULT), todo("add", title=f"${{{result}}}")
        operator, number = self.pick(list(words.CALCULATE_WITH_RESULT)), self.number()
        phrase = self.pick(words.CALCULATE_WITH_RESULT[operator])
        text = phrase.format(result=self.pick(words.RESULT), number=number)
        return text, calculation(f"x {operator} {number}", variables={"x": {"$ref": result}})

    # Slots ------------------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        kind = self.random.random()
        if kind < 0.08:
            return self.word(words.NOUNS)
        title = f"{self.word(words.VERBS)} {self.pick(['', '', 'the ', 'my ', 'some ', 'a ', 'new '])}{self.word(words.NOUNS)}"
        if kind < 0.3:
            return f"{title} {self.pick(words.WHEN)}"
        if kind < 0.4:
            return f"{title} and {self.word(words.NOUNS)}"
        if kind < 0.48:
            return f"{self.word(words.VERBS)} {self.number()} {self.word(words.NOUNS)}"
        if kind < 0.56:
            return f'{title} "{self.word(words.NOUNS)}"'
        if kind < 0.66:
            return " ".join([title, *(self.word(words.NOUNS + words.JOINTS) for _ in range(self.random.randint(2, 8)))])
        return title

    def target(self) -> tuple[str, dict]:
        """A todo that exists, by its position or title: what the user says, and the fields of the input."""
        if self.chance(0.35):
            index = self.random.randint(1, 99)
            return f"{self.pick(['task', 'todo', 'number', 'item', 'todo number'])} {index}", {"index": index}
        kind = self.random.random()
        if kind < 0.3:
            title = self.word(words.NOUNS)
            return self.pick(["", "the "]) + title, {"title": title}
        title = self.title()
        frame = self.pick(["{}", "{}", "{}", '"{}"', "the task to {}", "the todo {}", "the {} task", "the task {}"])
        return frame.format(title), {"title": title}

    def expression(self) -> tuple[str, str]:
        """As it is said, and as the Calculator takes it."""
        first, second, third = self.number(), self.number(), self.number()
        operator, other = self.pick("+-*/"), self.pick("+-*/")
        kind = self.random.random()
        if kind < 0.45:
            return f"{first} {self.pick(words.OPERATORS[operator])} {second}", f"{first} {operator} {second}"
        if kind < 0.5:
            return f"{first}% of {second}", f"{first}% * {second}"
        expression = self.pick([
            f"({first} {operator} {second}) {other} {third}", f"{first} {operator} ({second} {other} {third})",
            f"{first} {operator} {second} {other} {third}", f"{first} {operator} {second}", f"{first}{operator}{second}",
        ])  # fmt: skip
        return expression, expression

    def number(self) -> str:
        largest = self.pick([20, 100, 999, 9999])
        number = str(self.random.randint(1, largest))
        return f"{number}.{self.random.randint(1, 9)}" if self.chance(0.08) else number

    def word(self, known: list[str]) -> str:
        """A known word or an unknown one: only words that it can not know teach the model to copy."""
        kind = self.random.random()
        if kind < 0.65:
            word = self.pick(known)
        elif kind < 0.85:
            word = self.blend()
        else:
            word = "".join(self.pick(LETTERS) for _ in range(self.random.randint(3, 9)))
        return self.spoil(word) if self.chance(0.14) else word

    def blend(self) -> str:
        """The beginning of a word and the end of another, which is spelled as words are."""
        first, second = self.pick(words.NOUNS + words.VERBS), self.pick(words.NOUNS)
        return first[: self.random.randint(2, len(first))] + second[-self.random.randint(2, 5) :]

    def spoil(self, word: str) -> str:
        """What words of real requests also have: capitals, marks and letters that the tokenizer has only as bytes."""
        return self.pick([
            word.capitalize(), word.capitalize(), word.upper(), f"{word}'s", f"{word}-{self.blend()}", f"{word}@{self.blend()}.com",
            word[:-1] + self.pick("éèäöüñçøåßλж日🎉") + word[-1],
        ])  # fmt: skip

    def fill(self, phrases: list[str]) -> str:
        return self.pick(phrases).format(
            place=self.word(words.PLACES), when=self.pick(words.WHEN), noun=self.word(words.NOUNS), verb=self.word(words.VERBS),
            name=self.word(words.NOUNS), number=self.random.randint(1, 60),
        )  # fmt: skip

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability
