-- Version 2: several replicas use the database at the same time.

alter table jobs
    add column queued boolean not null default true, -- otherwise running or ended
    add column client bytea not null default '',
    add column request bytea, -- names the request that created the job
    add column river_id bigint, -- the job of river that runs this job; other jobs of river must not
    add column lease timestamptz, -- until when the replica that runs the job is believed to be alive
    add column progress bytea;
create unique index jobs_request on jobs (request) where request is not null;

-- Some databases of version 1 have this table.
create table if not exists policies (
    subject bytea primary key,
    data bytea not null
);

create table replicas (
    id text primary key,
    serves boolean not null, -- takes requests
    seen timestamptz not null
);

-- Each change is announced when its transaction commits, whoever makes it.
create function announce_number() returns trigger language plpgsql as $$
begin
    perform pg_notify('inroad', tg_table_name || ' ' || lower(tg_op) || ' ' || coalesce(new.id, old.id));
    return null;
end $$;
create function announce_key() returns trigger language plpgsql as $$
begin
    perform pg_notify('inroad', 'keys ' || lower(tg_op) || ' ' || encode(coalesce(new.id, old.id), 'escape'));
    return null;
end $$;
create function announce_models() returns trigger language plpgsql as $$
begin
    perform pg_notify('inroad', 'models update');
    return null;
end $$;
create trigger announce after insert or update or delete on jobs for each row execute function announce_number();
create trigger announce after insert or update or delete on campaigns for each row execute function announce_number();
create trigger announce after insert or update or delete on keys for each row execute function announce_key();
create trigger announce after insert or update or delete on models for each statement execute function announce_models();
create trigger announce after insert or update or delete on aliases for each statement execute function announce_models();
