/**
 * Markup as tagged templates that escape by default. What is put between tags or into a quoted attribute is text, whatever it
 * holds; markup is only what another template made. A template in which a value could change the structure of the page is
 * refused when it is first used, so that every test that renders it finds out.
 */

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Markup that a template made. */
export class Html {
  readonly #text: string;

  constructor(key: typeof KEY, text: string) {
    if (key !== KEY) throw new TypeError('markup is made by the html template only');
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

const KEY = Symbol('html');

/** What may stand in a template: text and numbers, markup, lists of these; null, undefined and false leave nothing. */
export type Value = string | number | Html | null | undefined | false | readonly Value[];

/** Where a value stands: between tags, in a quoted attribute, in one that is an address, or among attributes. */
type Place = 'text' | 'attribute' | 'address' | 'tag';

const places = new WeakMap<TemplateStringsArray, Place[]>();

/** @throws TypeError for a template or a value that could change the structure of the page, or lead out of this service */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  let found = places.get(strings);
  if (found === undefined) {
    found = placesIn(strings);
    places.set(strings, found);
  }
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += written(value, found[index] ?? 'text') + (strings[index + 1] ?? '');
  }
  return new Html(KEY, text);
}

function written(value: Value, place: Place): string {
  if (value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map((each: Value) => written(each, place)).join('');
  if (value instanceof Html) {
    if (place === 'text' || place === 'tag') return value.toString();
    throw new TypeError('markup inside of an attribute');
  }
  const text = String(value);
  if (place === 'tag' && text !== '') throw new TypeError('text among attributes: quote it');
  if (place === 'address' && !isOwnAddress(text)) throw new TypeError('an address that leads elsewhere');
  return escapeHtml(text);
}

/** A path of this service, a query or a fragment: no scheme, no other host, nothing that a browser drops before it reads it. */
export function isOwnAddress(address: string): boolean {
  return /^(?:\/(?![/\\])|[?#]|$)/.test(address) && !/[\\\p{Cc}]/u.test(address);
}

const ADDRESS = /(?:^|\s)(?:href|src|action|formaction|xlink:href)="$/i;

/** Reads the fixed parts of a template as a browser would, as far as it takes to know where its values stand. */
function placesIn(strings: readonly string[]): Place[] {
  let inTag = false;
  let quoted = false;
  const found: Place[] = [];
  for (const [index, part] of strings.entries()) {
    for (const character of part) {
      if (quoted) quoted = character !== '"';
      else if (inTag && character === '"') quoted = true;
      else if (inTag && character === '>') inTag = false;
      else if (!inTag && character === '<') inTag = true;
    }
    if (index === strings.length - 1) break;
    if (/<(?:script|style)\b[^>]*>[^<]*$/i.test(part))
      throw new TypeError('a value inside of a script or a style');
    if (quoted) found.push(ADDRESS.test(part) ? 'address' : 'attribute');
    else if (inTag && !/\s$/.test(part)) throw new TypeError('a value in an attribute without quotes');
    else found.push(inTag ? 'tag' : 'text');
  }
  if (inTag || quoted) throw new TypeError('a template that ends inside of a tag');
  return found;
}

/** Markup between the entries of a list. */
export function joined(values: readonly Value[], between: Value): Html {
  return html`${values.map((value, index) => (index === 0 ? [value] : [between, value]))}`;
}

/** A whole page. */
export function documentOf(content: Html): string {
  return `<!doctype html>\n${content}\n`;
}
