/** A page as a visitor without a screen sees it. */
export type Visited = { status: number; url: URL; text: string; accountId: string | undefined; heading: string };

const redirects = new Set([301, 302, 303, 307]);
const longestWay = 10;

/** Follows links and redirects as a browser does, with cookies of its own, and keeps where it has been. */
export const createVisitor = (options: {
  /** Where Switchboard really listens, and where it says it does. */
  origin: string;
  publicOrigin: string;
}) => {
  const jar = new Map<string, Map<string, string>>();
  const been: URL[] = [];

  const request = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const named = new URL(address);
    // As a whole: the port of a sandbox may begin with the digits of ours.
    const url =
      named.origin === options.publicOrigin ? new URL(named.href.slice(named.origin.length), options.origin) : named;
    const cookies = jar.get(url.origin) ?? new Map<string, string>();
    jar.set(url.origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const answer = await fetch(url, { ...init, redirect: 'manual', headers });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    return answer;
  };

  const visit = async (address: string, init: RequestInit = {}): Promise<Visited> => {
    let [at, how] = [address, init];
    for (let hop = 0; hop < longestWay; hop += 1) {
      been.push(new URL(at));
      const answer = await request(at, how);
      const text = await answer.text();
      const location = answer.headers.get('location');
      if (redirects.has(answer.status) && location !== null) {
        [at, how] = [new URL(location, at).href, {}];
        continue;
      }
      const heading = /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';
      return {
        status: answer.status,
        url: new URL(at),
        text,
        heading,
        accountId: /data-account="([^"]+)"/.exec(text)?.[1],
      };
    }
    throw new Error(`too many redirects: ${been.map(({ href }) => href).join(' ')}`);
  };

  return {
    been,
    visit,
    /** One step only: where a link leads. */
    peek: async (address: string) => (await request(address)).headers.get('location') ?? '',
    /** What our page does with a fragment: posts it on with the state. */
    bringFragment: (page: Visited, origin = options.origin) => {
      const { hash, searchParams, origin: site, pathname } = page.url;
      const brought = new URLSearchParams(hash.slice(1));
      const form = new URLSearchParams({
        state: searchParams.get('state') ?? '',
        token: brought.get('token') ?? '',
        error: brought.get('error') ?? '',
      });
      return visit(`${site}${pathname}`, { method: 'POST', body: form, headers: { origin } });
    },
  };
};
