// Whole characters written as two escapes, escapes of what no text can hold, and every other escape, in this order.
const escapes =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))|\\./gs;

/**
 * JSON text whose strings can be stored: the zero character and halves of a character, which JSON can write down but no
 * database keeps, become the sign for what cannot be shown.
 */
export const storableJson = (json: string): string =>
  json.includes('\\u') ? json.replace(escapes, (escape, broken) => (broken === undefined ? escape : '\\ufffd')) : json;
