-- Version 3: policies say what is kept of programs.

create table if not exists policies (
    subject bytea primary key,
    data bytea not null
);
