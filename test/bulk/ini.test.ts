import { describe, expect, it } from 'vitest';
import { parseIni } from '../../src/bulk/node/config/ini.js';

describe('parseIni', () => {
  it('reads profiles and nested settings of an AWS configuration file', () => {
    const ini = parseIni(
      '[default]\nregion = eu-1\n# note\n[profile ops]\r\ns3 =\r\n  addressing_style = path\nregion=us-1\n[services x]\ns3 = \n  endpoint_url = http://h:1\n',
    );
    expect(ini.get('default')).toEqual({ region: 'eu-1' });
    expect(ini.get('ops')).toEqual({ s3: '', 's3.addressing_style': 'path', region: 'us-1' });
    expect(ini.get('services x')).toEqual({ s3: '', 's3.endpoint_url': 'http://h:1' });
  });
});
