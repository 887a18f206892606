-- Version 5: replicas that run no training help with those of others.

alter table jobs add column plan bytea; -- of the shards; null until the job has shards
alter table replicas add column idle boolean not null default false;
create table shards (
    job_id bigint not null references jobs on delete cascade,
    number int not null,
    owner bytea, -- who computes the shard; null if nobody does
    lease timestamptz, -- after this time, another replica may claim the shard
    result bytea, -- null until the shard is computed
    primary key (job_id, number)
);
