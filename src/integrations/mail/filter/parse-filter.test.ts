import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FilterFault, FilterText, needs, parseFilter } from './index.ts';
import { printed, refusal } from './reading.fixture.ts';

describe('a filter is understood as', () => {
  test.each([
    ['subject:invoice', 'subject:invoice'],
    ['SUBJECT:Invoice', 'subject:Invoice'],
    ['  a   b\t"c  d" ', 'a AND b AND "c d"'],
    ['a OR b AND c', 'a OR (b AND c)'],
    ['a b OR c d', '(a AND b) OR (c AND d)'],
    ['NOT a b', 'NOT a AND b'],
    ['NOT a OR b', 'NOT a OR b'],
    ['NOT (a b)', 'NOT (a AND b)'],
    ['NOT(a)AND(b)', 'NOT a AND b'],
    ['NOT NOT a', 'a'],
    ['a -b +c', 'a AND NOT b AND c'],
    ['-(a OR b)', 'NOT (a OR b)'],
    ['-subject:x', 'NOT subject:x'],
    ['a AND (b AND (c AND d))', 'a AND b AND c AND d'],
    ['((a))', 'a'],
    ['(a OR b) (c OR d)', '(a OR b) AND (c OR d)'],
    ['e-mail C++', 'e-mail AND C++'],
    ['"-5" "AND" "12:30"', '"-5" AND "AND" AND "12:30"'],
    ['“curved” „marks“', '"curved" AND "marks"'],
    ['subject:"a (b)"', 'subject:"a (b)"'],
    ['subject:Re:', 'subject:Re:'],
    ['body:https://x.test/?a=b', 'body:https://x.test/?a=b'],
    ['subject:serv* serv* "advanced sear*"', 'subject:serv AND serv AND "advanced sear"'],
    ['subject=Invoice', 'subject=Invoice'],
    ['subject="Invoice 7*"', 'subject="Invoice 7*"'],
    ['subject<>x', 'NOT subject=x'],
    ['NOT subject<>x', 'subject=x'],
    ['from:*@Contoso.com', 'from:*contoso.com'],
    ['from:@contoso.com', 'from:*contoso.com'],
    ['from:contoso.com', 'from:*contoso.com'],
    ['from:*.contoso.com', 'from:*contoso.com'],
    ['from:"*contoso.com"', 'from:*contoso.com'],
    ['from:*localhost', 'from:*localhost'],
    ['from:Ada@Contoso.com', 'from:ada@contoso.com'],
    ['from:"Ada Lovelace <Ada@Contoso.com>" to:<ben@contoso.com>', 'from:ada@contoso.com AND to:ben@contoso.com'],
    ['from:"Lovelace, Ada"', 'from:"Lovelace, Ada"'],
    [
      'from:Ada.Lovelace to:ada.lovelace* cc:mail.corp bcc:*ada.lovelace',
      'from:Ada.Lovelace AND to:ada.lovelace AND cc:*mail.corp AND bcc:*ada.lovelace',
    ],
    ['from:bücher.рф', 'from:*bücher.рф'],
    ['NOT* "NOT" near*', 'NOT* AND "NOT" AND near'],
    ['"and" and "overdue"', '"and" AND and AND "overdue"'],
    ['to:"Ada Lovelace"', 'to:"Ada Lovelace"'],
    ['cc:ada bcc:ada recipients:ada participants:ada', 'cc:ada AND bcc:ada AND recipients:ada AND participants:ada'],
    ['hasAttachment:TRUE', 'hasAttachments:true'],
    ['hasattachments:no isread=false', 'hasAttachments:false AND isRead:false'],
    ['importance:Medium', 'importance:normal'],
    ['category:"Red Category" category:Red*', 'category:"Red Category" AND category:Red*'],
    ['attachment:*.pdf attachmentnames:x', 'attachment:*.pdf AND attachment:x'],
    ['size>2mb size<=1.5KB size:10..20', 'size>2MB AND size<=1536 AND size:10..20'],
    ['received:7/3/2026', 'received:2026-07-03'],
    ['received>=2026-07-03 sent<today', 'received>=2026-07-03 AND sent<today'],
    ['received:"This  Week"', 'received:"this week"'],
    ['received:07/01/2026..2026-07-31', 'received:2026-07-01..2026-07-31'],
    ['\u200bsubject:a AND\u200b b', 'subject:a AND b'],
    ['\u200fsub\u200eject:\u202aa\u202c \u2067OR\u2069 NOT\u200b \u200e(b)', 'subject:a OR NOT b'],
    ['from:\u202aada@contoso.com\u202c to:*contoso.com\u200e', 'from:ada@contoso.com AND to:*contoso.com'],
    ['received:\u200e2026-07-03 size>\u200b5', 'received:2026-07-03 AND size>5'],
    ['"a\u200bb"\u200e 12：30', '"ab" AND 12：30'],
    ['received:"last month..today"', 'received:"last month..today"'],
  ])('%s → %s', (text, expected) => {
    expect(printed(text)).toBe(expected);
    expect(parseFilter(printed(text))).toEqual(parseFilter(text));
  });
});

describe('a filter is refused, with the place and the reason', () => {
  test.each([
    ['', 1, 0, 'needs a condition'],
    ['   ', 1, 0, 'needs a condition'],
    ['foo:bar', 1, 7, '"foo" is not a property. Known are subject, body, from'],
    ['a AND sender:ada', 7, 10, '"sender" is not a property'],
    ['\u200b', 2, 0, 'needs a condition'],
    ['subject:\u200e', 9, 1, 'nothing to look for'],
    ['😀 (👍', 3, 1, 'never closed'],
    ['"🙂🙂" size:👍👍', 11, 2, 'is not a size'],
    ['kind=email', 1, 10, 'not a property'],
    ['meet 12:30', 6, 5, '"12:30" is no condition. To look for it as text, put it in quotation marks'],
    ['see https://x.test/a', 5, 16, 'looks like a web address'],
    ['x<y@z.test>', 1, 11, 'not a property'],
    ['subject :x', 9, 2, 'follows the name of a property directly'],
    ['subject:', 9, 0, 'A value must follow directly'],
    ['a subject: x', 11, 0, 'A value must follow directly'],
    ['subject:""', 9, 2, 'nothing to look for'],
    ['subject:"  "', 9, 4, 'nothing to look for'],
    ['""', 1, 2, 'nothing to look for'],
    ['"\u0301"', 1, 3, 'nothing to look for'],
    ['*', 1, 1, 'nothing to look for'],
    ['subject:(a OR b)', 9, 1, '(subject:one OR subject:two)'],
    ['subject:a"b"', 10, 1, 'Put a space before'],
    ['a(b)', 2, 1, 'Put a space before'],
    ['"a"b', 4, 1, 'Put a space after'],
    ['x "a b', 3, 4, 'never closed'],
    ['subject:"a', 9, 2, 'never closed'],
    ['((a)', 1, 1, 'never closed'],
    ['a) b', 2, 1, 'closes nothing'],
    [')', 1, 1, 'closes nothing'],
    ['a ()', 3, 1, 'nothing in these parentheses'],
    ['AND a', 1, 3, 'must stand before AND'],
    ['a OR', 3, 2, 'must follow OR'],
    ['a AND OR b', 3, 3, 'must follow AND'],
    ['(a OR) b', 4, 2, 'must follow OR'],
    ['NOT', 1, 3, 'must follow NOT'],
    ['a - b', 3, 1, 'must follow - directly'],
    ['a NEAR b', 3, 4, 'NEAR is not supported'],
    ['a ONEAR(3) b', 3, 5, 'ONEAR is not supported'],
    ['a*b', 1, 3, 'at the end of a word only'],
    ['subject:*a', 9, 2, 'Leave out the star'],
    ['from:*', 6, 1, 'A domain must follow'],
    ['from:*ada@x.test', 6, 11, 'A domain must follow'],
    ['subject>a', 9, 1, 'has no order'],
    ['from>=ada', 7, 3, 'has no order'],
    ['isRead:maybe', 8, 5, 'isRead is one of true, false'],
    ['isRead:constructor', 8, 11, 'isRead is one of true, false'],
    ['importance:urgent', 12, 6, 'importance is one of low, normal, medium, high'],
    ['size:big', 6, 3, 'is not a size'],
    ['size>1TB', 6, 3, 'is not a size'],
    ['size:-1', 6, 2, 'is not a size'],
    ['size:5..1', 6, 4, 'ends before it begins'],
    ['size>1..5', 6, 4, 'A range has a beginning and an end'],
    ['received:02/30/2026', 10, 10, '"02/30/2026" is not a day'],
    ['received:23/07/2026', 10, 10, 'month first'],
    ['received:2026-02-29', 10, 10, 'is not a day'],
    ['received:0001-01-01', 10, 10, 'is not a day'],
    ['received:2026-07-03T10:00', 10, 16, 'is not a day'],
    ['received:this week', 10, 4, '"this week"'],
    ['received:2026-07-03..', 10, 12, 'is not a day'],
    ['received:2026-07-03..2026-07-02', 10, 22, 'ends before it begins'],
    ['received:a..b..c', 10, 7, 'A range has'],
  ])('%j at %i, %i long: %s', (text, position, length, reason) => {
    const fault = refusal(text);

    expect(fault).toMatchObject({ code: 'invalid_input', position, length });
    expect(fault.reason).toContain(reason);
    expect(fault.message).toBe(`Position ${position}: ${fault.reason}`);
  });
});

describe('however long or deep a filter is', () => {
  test('16,384 characters are read and one more is not', () => {
    expect(printed('a'.repeat(16_384))).toHaveLength(16_384);
    expect(refusal('a '.repeat(8192).concat('a'))).toMatchObject({ position: 16_385, length: 1 });
    expect(refusal('subject:x OR '.repeat(8000)).reason).toContain('at most 16384 characters');
  });

  test('64 parentheses are read and one more is not', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}a${')'.repeat(depth)}`;

    expect(printed(nested(64))).toBe('a');
    expect(refusal(nested(65))).toMatchObject({ position: 65, length: 1 });
    expect(refusal('(NOT '.repeat(3000)).reason).toContain('at most 64 deep');
  });

  test('what is nested without parentheses takes no depth', () => {
    expect(printed(`${'NOT '.repeat(4001)}a`)).toBe('NOT a');
    expect(printed(`${'-+'.repeat(8000)}a`)).toBe('a');
  });

  test.each(['(', ')', '"', '*', '-', 'a:', '.', '@', ' ', 'a.', '*@', '..', '<>', '“', 'a@b.', '\u0301'])(
    'sixteen thousand times %j is answered, whatever the answer',
    (scrap) => {
      for (const text of [scrap.repeat(16_384 / scrap.length), `from:${scrap.repeat(16_000 / scrap.length)}x`]) {
        try {
          printed(text);
        } catch (error) {
          expect(error).toBeInstanceOf(FilterFault);
        }
      }
    },
  );
});

describe('hints', () => {
  test('a joining word in small letters is a word, and a hint says so once', () => {
    expect(printed('a and b and c')).toBe('a AND and AND b AND and AND c');
    expect(parseFilter('a and b and c').hints).toEqual([
      '"and" is looked for as a word. To join conditions write AND.',
    ]);
    expect(parseFilter('a Or b || not c').hints.map((hint) => hint.slice(0, 5))).toEqual(['"Or" ', '"||" ', '"not"']);
  });

  test.each([
    ['a HASATTACHMENT：true', 'To ask for a property write hasAttachments:value'],
    ['size＞5', 'write size:value'],
    ['to:a@x.test,b@x.test', 'For several people write (to:ada@contoso.com OR to:ben@contoso.com).'],
    ['from:"A <a@x.test>; b@x.test"', 'is looked for in one name or address'],
    ['from:ada.lovelace', 'If it is a domain, write from:*ada.lovelace'],
    ['invoice "and" and receipt', 'To join conditions write AND.'],
  ])('%s may have been meant otherwise', (text, hint) => {
    expect(parseFilter(text).hints).toEqual([expect.stringContaining(hint)]);
  });

  test('nothing else is remarked on', () => {
    expect(
      parseFilter(
        'android "and" “subject：invoice” NOT order subject:and 12：30 cc:mail.corp from:"Marsh, Ada" to:"A <a@x.test>"',
      ).hints,
    ).toEqual([]);
  });
});

test('a filter tells what has to be fetched for it', () => {
  const nothing = { body: false, size: false, attachmentNames: false };

  expect(needs(parseFilter('subject:a from:*b.test OR NOT isRead:true'))).toEqual(nothing);
  expect(needs(parseFilter('a OR subject:b'))).toEqual({ ...nothing, body: true });
  expect(needs(parseFilter('subject:a NOT (from:b OR body:c)'))).toEqual({ ...nothing, body: true });
  expect(needs(parseFilter('size>1MB -attachment:*.exe'))).toEqual({ body: false, size: true, attachmentNames: true });
});

describe('as a field of a form', () => {
  const Config = z.object({ searchFilter: FilterText });
  const issues = (searchFilter: string) =>
    Config.safeParse({ searchFilter }).error?.issues.map(({ message }) => message);

  test('a filter is trimmed and stays text', () => {
    expect(Config.parse({ searchFilter: '  subject:invoice ' })).toEqual({ searchFilter: 'subject:invoice' });
  });

  test('a filter that is not understood is refused with the position', () => {
    expect(issues('subject:x AND')).toEqual(['Position 11: A condition must follow AND.']);
    expect(issues('  ')).toEqual(['Position 1: A filter needs a condition.']);
  });

  test('a filter that is too long is refused once', () => {
    expect(issues('a '.repeat(50_000))).toEqual(['A filter has at most 16384 characters.']);
  });

  test('it is described, and converts to JSON Schema', () => {
    expect(z.toJSONSchema(FilterText)).toMatchObject({ type: 'string', maxLength: 16_384 });
    expect(FilterText.description).toContain('from:*contoso.com');
  });
});
