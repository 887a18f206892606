"""Reads schedules such as "every 2 weeks on mon, fri until 2028-02-29"."""

import datetime

DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


class Schedule:
    def __init__(self):
        self.count, self.unit, self.days, self.end = 1, "day", [], None

    def runs(self, days):
        """Returns how often the schedule runs in a number of days."""
        if self.unit == "week":
            return self.weekly_runs(days)
        return days // self.count

    def weekly_runs(self, days):
        return days // (7 * self.count) * max(1, len(self.days))


def parse(text: str):
    words = text.replace(",", " , ").split()
    words.reverse()
    schedule = Schedule()
    expect(words, "every")
    interval(words, schedule)
    while words:
        word = words.pop()
        if word == "on":
            weekdays(words, schedule)
        elif word == "until":
            schedule.end = until(words)
        else:
            raise ValueError("unexpected " + word)
    return schedule.runs(365)


def expect(words, word):
    if not words or words.pop() != word:
        raise ValueError("expected " + word)


def interval(words, schedule):
    word = words.pop()
    if word.isdigit():
        schedule.count = int(word)
        word = plural(words.pop())
    schedule.unit = word


def plural(word):
    return word[:-1] if word.endswith("s") else word


def weekdays(words, schedule):
    while True:
        schedule.days.append(DAYS.index(words.pop()))
        if not words or words[-1] != ",":
            break
        words.pop()


def until(words):
    year, month, day = map(int, words.pop().split("-"))
    if (month, day) == (2, 29):
        check_leap_year(year)
    return datetime.date(year, month, day)


def check_leap_year(year):
    if year % 4 or not year % 100 and year % 400:
        raise ValueError("%d is not a leap year" % year)
