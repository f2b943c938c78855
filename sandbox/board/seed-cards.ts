type SeedCard = {
  list: 'To do' | 'Doing' | 'Done';
  name: string;
  desc?: string;
  by?: 'ada' | 'ben';
  labels?: string[];
  members?: ('ada' | 'ben')[];
  dueInDays?: number;
  dueComplete?: boolean;
  cover?: string;
  checklists?: Record<string, [name: string, done: boolean][]>;
  comments?: ['ada' | 'ben', string][];
  links?: [name: string, url: string][];
};

export const launchCards: readonly SeedCard[] = [
  {
    list: 'To do',
    name: 'Write the announcement',
    desc: 'One page. What it does, for whom, and how to try it today.\n\nKeep the first paragraph under fifty words.',
    labels: ['Copy'],
    members: ['ben'],
    dueInDays: 4,
    comments: [
      ['ada', 'Please lead with the part about approvals, people ask about it first.'],
      ['ben', 'Will do. First draft on Thursday.'],
    ],
  },
  {
    list: 'To do',
    name: 'Record a two-minute demo',
    labels: ['Design', 'Copy'],
    members: ['ada'],
    dueInDays: 6,
    checklists: {
      Scenes: [
        ['Connect a mailbox', false],
        ['Agent drafts a reply', false],
        ['Approve and send', false],
      ],
    },
  },
  {
    list: 'To do',
    name: 'Check the pricing page on small screens',
    by: 'ben',
    labels: ['Design'],
    desc: 'The table scrolls sideways below 400 px.',
  },
  { list: 'To do', name: 'Ask three customers for a quote', by: 'ben', members: ['ben'], dueInDays: 9 },
  {
    list: 'To do',
    name: 'Plan the on-call rota for launch week',
    labels: ['Engineering'],
    comments: [['ben', 'I can take Monday and Tuesday.']],
  },
  {
    list: 'Doing',
    name: 'Fix the sign-in redirect',
    desc: 'After signing in from a deep link people land on the front page instead of where they wanted to go.',
    labels: ['Urgent', 'Engineering'],
    members: ['ada'],
    dueInDays: 1,
    cover: 'red',
    checklists: {
      Steps: [
        ['Reproduce it', true],
        ['Write the failing test', true],
        ['Keep the wanted address across the redirect', false],
      ],
    },
    comments: [['ada', 'Reproduced: the return address is dropped when it contains a query.']],
  },
  {
    list: 'Doing',
    name: 'New illustrations for the front page',
    by: 'ben',
    labels: ['Design'],
    members: ['ben'],
    dueInDays: 3,
    cover: 'purple',
    links: [['Sketches', 'https://example.com/sketches']],
  },
  {
    list: 'Doing',
    name: 'Load test with a thousand connected accounts',
    labels: ['Engineering'],
    members: ['ada', 'ben'],
    dueInDays: 2,
  },
  { list: 'Doing', name: 'Translate the help pages', by: 'ben', labels: ['Copy'] },
  {
    list: 'Done',
    name: 'Choose the launch date',
    members: ['ada'],
    dueInDays: -7,
    dueComplete: true,
    comments: [
      ['ada', 'Agreed with everyone: the first Tuesday of next month.'],
      ['ben', 'Put into all calendars.'],
    ],
  },
  { list: 'Done', name: 'Set up status page', labels: ['Engineering'], members: ['ben'], by: 'ben' },
  { list: 'Done', name: 'Book the venue for the launch party', dueInDays: -3, dueComplete: true },
];
