grammar UnclosedMembers;
@members { // ERROR "^.{. is not closed$"
