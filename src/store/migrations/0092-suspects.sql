-- What processes died with is looked for by itself, also where very much else is due.
create index if not exists watches_suspected on watches (next_look_at) where lapses >= 3;
create index if not exists arrivals_suspected on arrivals (next_try_at) where lapses >= 3;
