import type { Locator } from 'playwright-core';

/** The relative luminance of a colour of an element, from 0 to 1 (WCAG 2.2). */
export async function luminance(element: Locator, property: 'fill' | 'backgroundColor'): Promise<number> {
  const text = await element.evaluate((found, name) => getComputedStyle(found)[name], property);
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? [])
    .map((part) => Number(part) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of letters with their ground in a picture, from 1 to 21 (WCAG 2.2). */
export async function contrast(letters: Locator, ground: Locator): Promise<number> {
  const [one, other] = [await luminance(letters, 'fill'), await luminance(ground, 'fill')];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
