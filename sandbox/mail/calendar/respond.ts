import { GraphError, itemNotFound } from '../graph-error.ts';
import type { EmailAddress, Mailbox } from '../mailbox.ts';
import type { World } from '../world.ts';
import { placeCopy, sameAddress } from './attendee-copies.ts';
import type { Instance } from './instances.ts';
import { sendNote } from './meeting-mail.ts';
import type { Attendee, Moment } from './state.ts';
import { changeEvent, copyOf, removeEvent } from './store.ts';
import { deleteEvent } from './write-event.ts';

export type Answer = 'accepted' | 'declined' | 'tentativelyAccepted';
export type AnswerOptions = {
  comment: string;
  sendResponse: boolean;
  proposed: { start: Moment; end: Moment } | undefined;
};

const refused = (message: string): GraphError =>
  new GraphError(400, 'ErrorInvalidRequest', `Your request can't be completed. ${message}`);

/** Somebody invited answers: their own copy changes, the organizer hears of it unless no response is sent. */
export const respond = (
  world: World,
  mailbox: Mailbox,
  one: Instance,
  answer: Answer,
  options: AnswerOptions,
): void => {
  const { event, day } = one;
  if (event.isOrganizer) throw refused("You can't respond to this meeting because you're the meeting organizer.");
  if (event.isCancelled) throw refused('The meeting was canceled.');
  const { comment, sendResponse, proposed } = options;
  if (proposed !== undefined && !event.allowNewTimeProposals)
    throw refused('The organizer allows no new time proposals.');
  if (proposed !== undefined && !sendResponse)
    throw refused('A new time can only be proposed in a response that is sent.');

  const status = { response: answer, time: `${new Date(world.now()).toISOString().slice(0, 19)}Z` };
  const owner = world.people.get(mailbox.owner);
  if (owner !== undefined && sendResponse) {
    const from = { name: owner.displayName, address: owner.address };
    sendNote(world, from, [event.organizer], one, { kind: 'response', response: answer, proposed }, comment);
    tellOrganizer(world, one, owner.address, (attendee) => ({
      ...attendee,
      status,
      ...(proposed && { proposedNewTime: proposed }),
    }));
  }
  if (answer === 'declined' && proposed === undefined) {
    if (day === undefined) return removeEvent(world, mailbox, event);
    return changeEvent(world, mailbox, event, (target) => {
      target.cancelledDays = [...target.cancelledDays, day];
    });
  }
  const showAs = answer === 'accepted' ? 'busy' : 'tentative';
  changeEvent(world, mailbox, event, (target) => {
    if (day === undefined) Object.assign(target, { responseStatus: status, showAs });
    else target.exceptions.set(day, { ...target.exceptions.get(day), responseStatus: status, showAs });
  });
};

const tellOrganizer = (
  world: World,
  { event, day }: Instance,
  address: string,
  update: (attendee: Attendee) => Attendee,
): void => {
  const mailbox = world.mailboxOf(event.organizer.address);
  const original = mailbox && copyOf(mailbox, event.iCalUId);
  if (mailbox === undefined || original === undefined || !original.isOrganizer) return;
  const updated = (attendees: readonly Attendee[]): Attendee[] =>
    attendees.map((one) => (sameAddress(one.emailAddress.address, address) ? update(one) : one));
  changeEvent(world, mailbox, original, (target) => {
    if (day === undefined) {
      target.attendees = updated(target.attendees);
      return;
    }
    const own = target.exceptions.get(day);
    target.exceptions.set(day, { ...own, attendees: updated(own?.attendees ?? target.attendees) });
  });
};

export const cancel = (world: World, mailbox: Mailbox, one: Instance, comment: string): void => {
  if (!one.event.isOrganizer) throw refused('You need to be an organizer to cancel a meeting.');
  deleteEvent(world, mailbox, one, comment);
};

/** Passes an invitation on; the organizer's list grows, but not from a personal account. */
export const forward = (
  world: World,
  mailbox: Mailbox,
  one: Instance,
  to: readonly EmailAddress[],
  comment: string,
): void => {
  const person = world.people.get(mailbox.owner);
  if (person === undefined) throw itemNotFound();
  const { event } = one;
  const from = { name: person.displayName, address: person.address };
  sendNote(world, from, to, one, { kind: 'request', request: 'newMeetingRequest' }, comment);
  const organizerBox = world.mailboxOf(event.organizer.address);
  const original = organizerBox && copyOf(organizerBox, event.iCalUId);
  if (organizerBox && original && (event.isOrganizer || person.kind === 'work')) {
    const invited = original.attendees.map(({ emailAddress }) => emailAddress.address.toLowerCase());
    const added = to.filter(({ address }) => !invited.includes(address.toLowerCase()));
    changeEvent(world, organizerBox, original, (target) => {
      target.attendees = [
        ...target.attendees,
        ...added.map(
          (emailAddress): Attendee => ({
            type: 'required',
            emailAddress,
            status: { response: 'none', time: '0001-01-01T00:00:00Z' },
          }),
        ),
      ];
    });
  }
  for (const { address } of to) placeCopy(world, original ?? event, address);
};
