import { cancelEvent } from './steps/cancel-event.ts';
import { checkAvailability } from './steps/check-availability.ts';
import { createEvent } from './steps/create-event.ts';
import { deleteEvent } from './steps/delete-event.ts';
import { getSchedule } from './steps/get-schedule.ts';
import { listEvents } from './steps/list-events.ts';
import { respondToEvent } from './steps/respond-to-event.ts';
import { updateEvent } from './steps/update-event.ts';

export const calendarSteps = [
  checkAvailability,
  createEvent,
  deleteEvent,
  listEvents,
  updateEvent,
  getSchedule,
  respondToEvent,
  cancelEvent,
];
