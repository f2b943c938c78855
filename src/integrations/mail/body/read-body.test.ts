import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlToText } from './html-to-text.ts';
import { type BodyOptions, readBody, readPreview } from './read-body.ts';

const read = (content: string, options: Partial<BodyOptions> = {}) =>
  readBody({ contentType: 'html', content }, { format: 'text', maxChars: 100_000, ...options });
const text = (content: string) => read(content).text;

test('paragraphs, lists, tables, links and entities read as a person reads them', () => {
  const html = `<html><head><title>no</title><style>p{margin:0}</style></head><body>
    <h1>Offer &amp; price</h1><p>Dear&nbsp;Ada,<br>see <a href="https://example.test/x">the offer</a>.</p>
    <ul><li>one<li>two</ul><ol><li>first</li><li>second</li></ol>
    <table><tr><td>Bread<td>2&nbsp;&euro;</tr><tr><td>Milk</td><td>1 &#8364;</td></tr></table>
    <script>alert("no")</script><!-- no --><img src=x alt="A chart"><img src=y width=1 alt=pixel></body></html>`;

  expect(text(html)).toBe(
    [
      'Offer & price',
      '',
      'Dear Ada,',
      'see the offer <https://example.test/x>.',
      '',
      '- one',
      '- two',
      '',
      '1. first',
      '2. second',
      '',
      'Bread 2 €',
      'Milk 1 €',
      '',
      '[image: A chart]',
    ].join('\n'),
  );
});

describe('text that nobody sees is not read', () => {
  test.each([
    ['display:none', '<div style="display:none">X</div>'],
    ['display: none !important', '<div style="color:red;DISPLAY : none !important">X</div>'],
    ['a class', '<style>.pre, td.x{display:none}</style><span class="a pre">X</span>'],
    ['an id', '<style>#p{ visibility:hidden }</style><span id=p>X</span>'],
    ['a tag', '<style>/* } */ b{font-size:0}</style><b>X</b>'],
    ['the hidden attribute', '<p hidden>X</p>'],
    ['visibility', '<p style="visibility:hidden">X</p>'],
    ['opacity', '<p style="opacity:0">X</p>'],
    ['zero size', '<p style="font-size:0px">X</p>'],
    ['one pixel', '<p style="font-size:1px;line-height:1px">X</p>'],
    ['zero height', '<div style="max-height:0px;overflow:hidden">X</div>'],
    ['white on white', '<p style="color:#fff">X</p>'],
    ['almost white on white', '<font color="#FEFEFE">X</font>'],
    ['white on white by name', '<div style="background:white"><span style="color: rgb(255, 255, 255)">X</span></div>'],
    ['black on black', '<table bgcolor="#000000"><tr><td>X</td></tr></table>'],
    ['transparent', '<p style="color:transparent">X</p>'],
    ['see-through', '<p style="color:rgba(0,0,0,0)">X</p>'],
    ['far off', '<p style="position:absolute;left:-9999px">X</p>'],
    ['indented away', '<p style="text-indent:-9999px">X</p>'],
    ['clipped', '<p style="position:absolute;clip:rect(0,0,0,0)">X</p>'],
    ['hidden from Word', '<p style="mso-hide:all">X</p>'],
    ['inside something hidden', '<div style="display:none"><p style="display:block"><b>X</b></p></div>'],
    ['a comment', '<!-- X -->'],
    ['a script', '<script>X</script >'],
    ['a template', '<template>X</template>'],
    ['deeper than any mail', `${'<b>'.repeat(500)}X${'</b>'.repeat(500)}`],
  ])('%s', (_, hidden) => {
    expect(text(`<p>seen</p>${hidden}<p>too</p>`)).toBe('seen\n\ntoo');
  });

  test('and invisible characters are taken out, while scripts and emoji that need joiners keep them', () => {
    const tag = String.fromCodePoint(0xe0041, 0xe0042);
    expect(text(`a\u200bb\u00adc\u202ed${tag}e&zwnj;&nbsp;&zwnj;&nbsp;f\ufeff`)).toBe('abcde f');
    expect(text('می\u200cخواهم 👩\u200d💻 ❤\ufe0f')).toBe('می\u200cخواهم 👩\u200d💻 ❤\ufe0f');
  });
});

describe('text that only looks hidden is read', () => {
  test.each([
    [
      'text of normal size inside a wrapper of size zero',
      '<td style="font-size:0"><div style="font-size:14px">X</div></td>',
    ],
    ['white on a dark ground', '<table bgcolor="#003366"><tr><td style="color:#ffffff">X</td></tr></table>'],
    ['white on a picture', '<div style="background:url(x.png)"><span style="color:#fff">X</span></div>'],
    ['visible inside invisible', '<div style="visibility:hidden"><p style="visibility:visible">X</p></div>'],
    ['a rule for print only', '<style>@media print{.x{display:none}}</style><p class=x>X</p>'],
    ['after a hidden paragraph without an end', '<p style="display:none">no<p>X</p>'],
    ['after a hidden cell without an end', '<table><tr><td style="display:none">no<td>X</table>'],
    ['with a lone less-than', '<p>X</p>'],
  ])('%s', (_, shown) => {
    expect(text(shown)).toBe('X');
  });
});

describe('the mails being answered are cut', () => {
  test.each([
    ['Outlook', '<div>New</div><hr><div id="divRplyFwdMsg"><b>From:</b> Ben</div><div>Old</div>'],
    [
      'Gmail',
      '<div>New</div><div class="gmail_quote"><div class="gmail_attr">On Monday Ben wrote:</div><blockquote>Old</blockquote></div>',
    ],
    ['Apple Mail', '<div>New</div><blockquote type="cite"><div>Old</div></blockquote>'],
    [
      'Word',
      "<p>New</p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0 0 0'><p>From: Ben</p></div><p>Old</p>",
    ],
    ['plain text in HTML', '<pre>New\n\nOn 3 May 2026, Ben wrote:\n&gt; Old\n&gt; older</pre>'],
    [
      'a header block',
      '<p>New</p><p>From: Ben &lt;ben@x.test&gt;<br>Sent: Monday<br>To: Ada<br>Subject: Hi</p><p>Old</p>',
    ],
  ])('%s', (_, html) => {
    expect(read(html)).toMatchObject({ text: 'New', quotedRemoved: true });
    expect(read(html, { keepQuoted: true }).text).toContain('Old');
  });

  test('an answer below the quotation stays', () => {
    expect(text('<blockquote type="cite">Old</blockquote><p>New</p>')).toBe('New');
    const plain = 'On 3 May 2026, Ben wrote:\n> Old\nNew';
    expect(readBody({ contentType: 'text', content: plain }, { format: 'text', maxChars: 100 }).text).toBe('New');
  });

  test('a bare forward is kept whole', () => {
    const html = '<div id="divRplyFwdMsg">From: Ben</div><div>The news</div>';
    expect(read(html)).toMatchObject({ text: 'From: Ben\nThe news', quotedRemoved: false });
  });
});

test('a long body is read in parts, and the parts make the whole', () => {
  const whole = Array.from({ length: 400 }, (_, at) => `word${at}😀`).join(' ');
  let joined = '';
  for (let offset = 0; ; ) {
    const part = read(whole, { maxChars: 101, offset });
    expect(part.length).toBe(whole.length);
    joined += part.text;
    offset += 101;
    if (!part.truncated) break;
    expect(part.text.isWellFormed()).toBe(true);
  }
  expect(joined).toBe(whole);
});

test('a preview has at most 255 characters and nothing invisible', () => {
  expect(readPreview(`a\u200b${'b'.repeat(400)}`)).toBe(`a${'b'.repeat(254)}`);
});

const scraps = fc.constantFrom(
  '<',
  '>',
  '<p>',
  '</p>',
  '<div style="display:none">',
  '</div>',
  '<td>',
  '<table>',
  '</table>',
  '<!--',
  '-->',
  '<style>',
  '</style>',
  '.a{display:none}',
  '<b class=a>',
  '"',
  "'",
  '=',
  '&',
  '&lt;',
  '&#x41;',
  '<script',
  '</script>',
  ' ',
  '\n',
  'x',
  '<a href="https://e.test">',
  '</a>',
  '/*',
  '<img alt=',
  '<blockquote type=cite>',
  '\ud800',
  '@media{',
  '}',
);

test('whatever the mark-up, it is read without failing and without tags or control characters', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(scraps, fc.string()), { maxLength: 60 }), (parts) => {
      const { text: result } = read(parts.join(''));
      expect(result.isWellFormed()).toBe(true);
      // oxlint-disable-next-line no-control-regex -- that is what is looked for
      expect(result).not.toMatch(/[\u0000-\u0008\u200b\u202e]/);
    }),
  );
});

test('hidden text stays hidden whatever stands before it inside closed elements', () => {
  const safe = fc.constantFrom(
    '<p>a</p>',
    '<b>b</b>',
    '<br>',
    '&amp;',
    'c',
    '<table><tr><td>d</td></tr></table>',
    '<!-- e -->',
  );
  fc.assert(
    fc.property(fc.array(safe, { maxLength: 20 }), (parts) => {
      const hidden = `${parts.join('')}<div style="display:none">${parts.join('')}SECRET${parts.join('')}</div>end`;
      expect(text(hidden)).not.toContain('SECRET');
      expect(text(hidden)).toMatch(/end$/);
    }),
  );
});

test('work grows with the length and not with its square', () => {
  const hostile = [
    '<',
    '<b>',
    '<td>',
    '</td>',
    '<!--',
    '<a "',
    '/*',
    '<p><table><td>',
    '&',
    '<style>',
    ' ',
    '> ',
    '<b class="a a a a">',
  ];
  for (const scrap of hostile) {
    const html = `<style>.a{display:block;color:red}</style><table>${scrap.repeat(400_000 / scrap.length)}`;
    expect(htmlToText(html).all.length).toBeLessThanOrEqual(html.length);
    read(`x${scrap.repeat(400_000 / scrap.length)}x`, { keepQuoted: false });
  }
});

test('a mail is read once, however many ask for parts of it', () => {
  let reads = 0;
  const body = {
    contentType: 'html',
    get content() {
      reads += 1;
      return '<p>Yes</p><blockquote type="cite">Now?</blockquote>';
    },
  };
  const texts = [1, 2, 3].map((maxChars) => readBody(body, { format: 'text', maxChars }).text);
  expect(texts).toEqual(['Y', 'Ye', 'Yes']);
  expect(readBody(body, { format: 'text', maxChars: 99, keepQuoted: true }).text).toContain('Now?');
  expect(reads).toBe(1);
});
