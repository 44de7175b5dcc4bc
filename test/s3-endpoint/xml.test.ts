import { describe, expect, it } from 'vitest';
import { parsePartList } from '../../server/service/s3/multipart/validate-parts.js';
import { readXml, requiredText } from '../../server/service/s3/xml/read-xml.js';
import { xmlDocument } from '../../server/service/s3/xml/write-xml.js';

const malformed = expect.objectContaining({ code: 'MalformedXML' });

describe('reading XML', () => {
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
    ['a hundred thousand references and more', `<Delete><Key>${'&amp;'.repeat(100_001)}</Key></Delete>`],
    ['a million tags', `<Delete>${'<a/>'.repeat(1_000_000)}<Key>a</Key></Delete>`],
    [
      'a hundred thousand attributes',
      `<Delete ${Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(' ')}><Key>a</Key></Delete>`,
    ],
    ['an element deeper than any of S3', `<Delete>${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}<Key>a</Key></Delete>`],
    ['no XML', '{"Delete": 1}'],
  ])('rejects %s', (_name, text) => {
    expect(() => requiredText(readXml(text, 'Delete'), 'Key')).toThrow(malformed);
  });
});

it('XML is read with 1,000 objects to delete or 10,000 parts with two checksums', () => {
  const checksum = Buffer.alloc(32).toString('base64');
  const object = `<Object><Key>${'a=b/'.repeat(250)}</Key><VersionId>null</VersionId><ETag>e</ETag><LastModifiedTime>t</LastModifiedTime><Size>1</Size></Object>`;
  expect(readXml(`<Delete>${object.repeat(1000)}</Delete>`, 'Delete').children.get('Object')).toHaveLength(1000);
  const part = (_: unknown, at: number) =>
    `<Part><PartNumber>${at + 1}</PartNumber><ETag>"e"</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256><ChecksumSHA1>${checksum}</ChecksumSHA1></Part>`;
  const parts = Array.from({ length: 10_000 }, part).join('');
  expect(parsePartList(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`)).toHaveLength(10_000);
});

describe('writing XML', () => {
  it('can be read back', () => {
    const key = 'a & <b> "c" \r\u0001ü🐘';
    const text = xmlDocument('Delete', { Key: key });
    expect(text).toContain('xmlns="http://s3.amazonaws.com/doc/2006-03-01/"');
    expect(requiredText(readXml(text, 'Delete'), 'Key')).toBe(key);
  });
});
