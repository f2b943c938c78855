-- Whoever has just come in by a sign-in link may replace a password that was forgotten.
alter table sessions add column by_link boolean not null default false;
