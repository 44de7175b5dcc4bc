import { describe, expect, it } from 'vitest';
import { escapeJson, toDisplayText, truncateText } from '../../src/protocol/display-text.js';

describe('text from outside', () => {
  it('is displayed on one line without characters that change the direction', () => {
    expect(toDisplayText('a\r\nb\u202ec\u200fd\u0085', ' ')).toBe('a  b cd ');
  });

  it('is shortened with an ellipsis and without half a surrogate pair', () => {
    expect(truncateText('12345', 5)).toBe('12345');
    expect(truncateText('123456', 5)).toBe('1234…');
    expect(truncateText('123😀6', 5)).toBe('123…');
    expect(truncateText('12  56', 5)).toBe('12…');
  });

  it('keeps its value when its JSON is escaped for a terminal', () => {
    const text = 'a\u202eb\u009bc\u061c';
    const json = escapeJson(JSON.stringify({ text }));
    expect(json).toMatch(/^[\u0020-\u007e]*$/);
    expect(JSON.parse(json)).toEqual({ text });
  });
});
