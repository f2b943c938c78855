import { distance } from './distance.ts';
import { windowsZones } from './windows-zones.ts';

/** Where the clocks go that people mean by an abbreviation; several, where it means several. */
const abbreviations = `
PST PDT PT=America/Los_Angeles
MST MDT MT=America/Denver America/Phoenix
CST=America/Chicago Asia/Shanghai
CDT CT=America/Chicago
EST EDT ET=America/New_York
AKST AKDT=America/Anchorage
HST=Pacific/Honolulu
AST ADT=America/Halifax
NST NDT=America/St_Johns
BRT=America/Sao_Paulo
ART=America/Argentina/Buenos_Aires
WET WEST=Europe/Lisbon
BST=Europe/London
CET CEST MET MEZ MESZ=Europe/Berlin Europe/Paris Europe/Madrid Europe/Rome Europe/Warsaw
EET EEST=Europe/Athens Europe/Helsinki Europe/Kyiv
MSK=Europe/Moscow
TRT=Europe/Istanbul
SAST=Africa/Johannesburg
CAT=Africa/Maputo
EAT=Africa/Nairobi
WAT=Africa/Lagos
GST=Asia/Dubai
PKT=Asia/Karachi
IST=Asia/Kolkata Europe/Dublin Asia/Jerusalem
ICT=Asia/Bangkok
WIB=Asia/Jakarta
HKT=Asia/Hong_Kong
SGT=Asia/Singapore
JST=Asia/Tokyo
KST=Asia/Seoul
AWST=Australia/Perth
ACST ACDT=Australia/Adelaide
AEST AEDT=Australia/Sydney Australia/Brisbane
NZST NZDT=Pacific/Auckland`;

const byAbbreviation = new Map(
  abbreviations
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [short = '', zones = ''] = line.split('=');
      return short.split(' ').map((each) => [each, zones.split(' ')] as const);
    }),
);

const most = 5;
const wordsOf = (name: string): string[] => name.toLowerCase().split(/[^a-z]+/);
const common = new Set(['time', 'standard', 'daylight']);

const cityOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
const misspelt = (given: string, names: readonly string[]): string[] => {
  const written = given.toLowerCase().replaceAll(' ', '_');
  if (written.length < 5) return [];
  const near = names.map((name) => {
    const low = name.toLowerCase().replaceAll(' ', '_');
    return { name, away: Math.min(distance(written, low), distance(written, cityOf(low))) };
  });
  const least = Math.min(...near.map(({ away }) => away));
  return least > 2 ? [] : near.filter(({ away }) => away === least).map(({ name }) => name);
};

/** Names of zones that may be meant by one that is none. */
export const zoneCandidates = (text: string): string[] => {
  const given = text.trim().slice(0, 100);
  // Of an offset nobody knows what clocks show next summer.
  if (/^(?:utc|gmt)\W?\d/i.test(given)) return [];
  const short = byAbbreviation.get(given.toUpperCase());
  if (short !== undefined) return [...short];
  const wanted = wordsOf(given).filter((word) => word.length > 2 && !common.has(word));
  if (wanted.length === 0) return [];
  const all = [...windowsZones.map(({ windows }) => windows), ...Intl.supportedValuesOf('timeZone')];
  const mentions = (name: string) => wanted.every((word) => wordsOf(name).some((each) => each.startsWith(word)));
  const found = all.filter(mentions);
  return (found.length > 0 ? found : misspelt(given, all)).slice(0, most);
};
