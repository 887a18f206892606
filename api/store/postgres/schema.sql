-- Names and IDs are bytea: text cannot hold all strings, and does not sort by bytes.
-- Columns named data hold values as package encoding encodes them; the other columns
-- are what queries need.

create table counters (
    name text primary key,
    value bigint not null
);
-- sequence orders changes; clocks may jump. The others number rows without gaps in the
-- order of their commits, because a counter stays locked until its transaction ends.
insert into counters (name, value) values ('sequence', 0), ('models', 0), ('jobs', 0), ('campaigns', 0), ('key_log', 0), ('services', 0);

create table grammars (
    id bytea primary key,
    sequence bigint not null,
    data bytea not null,
    sources bytea not null
);

create table commits (
    id bigint generated always as identity primary key,
    subject bytea not null,
    name bytea not null,
    sequence bigint not null,
    blocks bigint not null, -- the number of the last block
    data bytea not null,
    unique (subject, name)
);
create table units (
    commit_id bigint not null references commits on delete cascade,
    key bytea not null,
    data bytea not null,
    primary key (commit_id, key)
);
create table seen (
    commit_id bigint not null references commits on delete cascade,
    input bytea not null,
    result bytea not null,
    primary key (commit_id, input, result)
);
create table blocks (
    commit_id bigint not null references commits on delete cascade,
    number bigint not null,
    data bytea not null,
    primary key (commit_id, number)
);

create table models (
    number bigint primary key,
    id bytea not null unique,
    subject bytea not null,
    data bytea not null
);
create index models_subject on models (subject, number);
create table chunks (
    digest bytea primary key,
    data bytea not null
);
create table aliases (
    name bytea primary key,
    model bytea not null references models (id)
);

create table jobs (
    id bigint primary key,
    subject bytea not null,
    ended boolean not null,
    data bytea not null
);
create index jobs_open on jobs (id) where not ended;

create table campaigns (
    id bigint primary key,
    subject bytea not null,
    last bigint not null, -- the number of the last block of the log
    data bytea not null,
    request bytea not null,
    units bytea not null,
    history bytea
);
create table leases (
    campaign_id bigint not null references campaigns on delete cascade,
    id bytea not null,
    data bytea not null,
    primary key (campaign_id, id)
);
create table log (
    campaign_id bigint not null references campaigns on delete cascade,
    number bigint not null,
    data bytea not null,
    primary key (campaign_id, number)
);
create table told (
    campaign_id bigint not null references campaigns on delete cascade,
    input bytea not null,
    primary key (campaign_id, input)
);

create table keys (
    id bytea primary key,
    sequence bigint not null,
    data bytea not null
);
create table key_log (
    number bigint primary key,
    data bytea not null
);
