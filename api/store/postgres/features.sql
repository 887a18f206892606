-- Version 4: features of observations are kept between trainings.

create table feature_sets (
    id bigint generated always as identity primary key,
    commit_id bigint not null references commits on delete cascade,
    key bytea not null, -- says how the features were extracted
    size bigint not null,
    used timestamptz not null,
    unique (commit_id, key)
);
create table features (
    set_id bigint not null references feature_sets on delete cascade,
    number bigint not null, -- of the block
    data bytea not null,
    primary key (set_id, number)
);
