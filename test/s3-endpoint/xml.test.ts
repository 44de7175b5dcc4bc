import { describe, expect, it } from 'vitest';
import { readXml, requiredText } from '../../server/service/s3/xml/read.js';
import { xmlDocument } from '../../server/service/s3/xml/write.js';

const malformed = expect.objectContaining({ code: 'MalformedXML' });

describe('XML that is read', () => {
  it('decodes references and keeps white space', () => {
    const key = (text: string) => requiredText(readXml(`<Delete><Key>${text}</Key></Delete>`, 'Delete'), 'Key');
    expect(key(' a  b\n')).toBe(' a  b\n');
    expect(key('&lt;&amp;amp;&#10;&#x1F418;&quot;')).toBe('<&amp;\n🐘"');
    expect(key('007')).toBe('007');
    expect(key('__proto__')).toBe('__proto__');
  });

  it('reads a document with a declaration, a namespace and a prefix', () => {
    const text = '<?xml version="1.0"?><s:Delete xmlns:s="http://s3.amazonaws.com/doc/2006-03-01/"><s:Key>a</s:Key></s:Delete>';
    expect(requiredText(readXml(text, 'Delete'), 'Key')).toBe('a');
  });

  it.each([
    ['a document type', '<!DOCTYPE Delete><Delete/>'],
    ['an entity bomb', '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Delete><Key>&b;</Key></Delete>'],
    ['an external entity', '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Key>&x;</Key></Delete>'],
    ['an undeclared entity', '<Delete><Key>&x;</Key></Delete>'],
    ['a CDATA section', '<Delete><Key><![CDATA[a]]></Key></Delete>'],
    ['a surrogate by number', '<Delete><Key>&#xD800;</Key></Delete>'],
    ['a character beyond Unicode', '<Delete><Key>&#x110000;</Key></Delete>'],
    ['another root', '<Remove/>'],
    ['two roots', '<Delete/><Delete/>'],
    ['an open element', '<Delete><Key>a</Delete>'],
    ['nothing', ''],
    ['no XML', '{"Delete": 1}'],
  ])('refuses %s', (_name, text) => {
    expect(() => requiredText(readXml(text, 'Delete'), 'Key')).toThrow(malformed);
  });
});

describe('XML that is written', () => {
  it('reads back as it was', () => {
    const key = 'a & <b> "c" \r\u0001ü🐘';
    const text = xmlDocument('Delete', { Key: key });
    expect(text).toContain('xmlns="http://s3.amazonaws.com/doc/2006-03-01/"');
    expect(requiredText(readXml(text, 'Delete'), 'Key')).toBe(key);
  });
});
