const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const hex24 = /^[0-9a-f]{24}$/i;
const short8 = /^[A-Za-z0-9]{8}$/;

export const isId = (text: string): boolean => hex24.test(text);
export const isShortLink = (text: string): boolean => short8.test(text);

const mix = (value: number, seed: number): number => {
  let mixed = Math.imul(value ^ seed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const letters = (value: number): string => {
  let text = '';
  for (let rest = value, place = 0; place < 4; place++, rest = Math.floor(rest / 62)) text += alphabet[rest % 62];
  return text;
};

/** Ids as MongoDB makes them: the second, a constant, a counter. They sort by creation, even when time is set back. */
export class Ids {
  second = 0;
  counter = 0;

  next(now: number): string {
    this.second = Math.max(this.second, Math.floor(now / 1000));
    this.counter += 1;
    return `${this.second.toString(16).padStart(8, '0')}5a0db0a2c4${this.counter.toString(16).padStart(6, '0')}`;
  }

  shortLink(): string {
    return letters(mix(this.counter, 0x9e3779b9)) + letters(mix(this.counter, 0x51ab3c7d));
  }
}

/** When the thing with this id was made. */
export const bornAt = (id: string): number => Number.parseInt(id.slice(0, 8), 16) * 1000;
