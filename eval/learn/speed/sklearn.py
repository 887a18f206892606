"""Grow trees on the matrix from standard input.

Each line of labels starts with the minimum leaf and the minimum gain of its tree,
a weighted number of rows. Print the seconds of processor time per tree, and the
mean number of nodes.
"""
import sys
import time

import numpy
from scipy.sparse import csc_matrix
from sklearn.tree import DecisionTreeClassifier

rows, columns, methods, depth = map(int, sys.stdin.readline().split())
at, of = [], []
for row in range(rows):
    has = list(map(int, sys.stdin.readline().split()))
    at += [row] * len(has)
    of += has
x = csc_matrix((numpy.ones(len(at), dtype=numpy.float32), (at, of)), shape=(rows, columns))
trees, labels = [], []
for _ in range(methods):
    leaf, gain, *positives = sys.stdin.readline().split()
    y = numpy.zeros(rows, dtype=numpy.int8)
    y[list(map(int, positives))] = 1
    labels.append(y)
    # dtree's gain of a node with n rows, p of them positive, is a decrease of p(n-p)/n.
    # The Gini impurity is 2p(n-p)/n², and scikit-learn weighs it by n/rows.
    trees.append(DecisionTreeClassifier(
        max_depth=depth, min_samples_leaf=int(leaf), min_impurity_decrease=2 * float(gain) / rows, random_state=1))
start = time.process_time()
for tree, y in zip(trees, labels):
    tree.fit(x, y)
print((time.process_time() - start) / methods, sum(tree.tree_.node_count for tree in trees) / methods)
