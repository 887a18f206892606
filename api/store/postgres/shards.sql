-- Version 5: replicas that run no training help with those of others.

alter table jobs add column plan bytea; -- of the shards; null until there are some
alter table replicas add column idle boolean not null default false;
create table shards (
    job_id bigint not null references jobs on delete cascade,
    number int not null,
    owner bytea, -- who computes the shard; null if nobody does
    lease timestamptz, -- until when the owner is believed to be alive
    result bytea, -- null until the shard is computed
    primary key (job_id, number)
);
