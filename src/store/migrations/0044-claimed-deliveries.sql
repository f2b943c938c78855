-- Those that somebody carries now, found without going through all that wait for a receiver who is away.
create index notice_deliveries_claimed on notice_deliveries (webhook_id, claimed_until)
  where state = 'pending' and claimed_until is not null;
