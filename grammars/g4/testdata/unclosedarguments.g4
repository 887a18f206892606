grammar UnclosedArguments;
a [ never closed ; // ERROR "^.\[. is not closed$"