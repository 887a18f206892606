"""Grow trees on the matrix from standard input and print the seconds per tree."""
import sys
import time

import numpy
from scipy.sparse import csc_matrix
from sklearn.tree import DecisionTreeClassifier

rows, columns, methods = map(int, sys.stdin.readline().split())
at, of = [], []
for row in range(rows):
    has = list(map(int, sys.stdin.readline().split()))
    at += [row] * len(has)
    of += has
x = csc_matrix((numpy.ones(len(at), dtype=numpy.float32), (at, of)), shape=(rows, columns))
labels = []
for _ in range(methods):
    y = numpy.zeros(rows, dtype=numpy.int8)
    y[list(map(int, sys.stdin.readline().split()))] = 1
    labels.append(y)
start = time.perf_counter()
for y in labels:
    DecisionTreeClassifier(max_depth=5, random_state=1).fit(x, y)
print((time.perf_counter() - start) / methods)
