import { describe, expect, it } from 'vitest';
import { EndpointAddresses } from '../../src/bulk/s3/endpoint-addresses.js';
import { S3Error } from '../../src/bulk/errors.js';

const redirect = (location: string) => new S3Error('TemporaryRedirect', 'Please re-send.', { status: 307, location });

/** @returns the host that receives requests for the bucket after a redirect */
function hostAfter(endpoint: string | undefined, location: string): string {
  const addresses = new EndpointAddresses({ ...(endpoint !== undefined && { endpoint }), region: 'us-east-1', pathStyle: false });
  const used = addresses.of('photos');
  addresses.learn('photos', used, redirect(location));
  return addresses.of('photos').origin.hostname;
}

describe('an S3 redirect', () => {
  it.each([
    { endpoint: undefined, location: 'https://photos.s3.eu-west-1.amazonaws.com/k', host: 'photos.s3.eu-west-1.amazonaws.com' },
    { endpoint: undefined, location: 'https://photos.s3-us-west-2.amazonaws.com/k', host: 'photos.s3-us-west-2.amazonaws.com' },
    {
      endpoint: undefined,
      location: 'https://s3.dualstack.eu-west-1.amazonaws.com/photos/k',
      host: 's3.dualstack.eu-west-1.amazonaws.com',
    },
    { endpoint: 'https://s3.example.com', location: 'https://photos.eu.s3.example.com/k', host: 'photos.eu.s3.example.com' },
    { endpoint: 'https://s3.example.com', location: 'https://s3.example.com:8443/photos/k', host: 's3.example.com' },
  ])('is followed from $endpoint to $host', ({ endpoint, location, host }) => {
    expect(hostAfter(endpoint, location)).toBe(host);
  });

  it.each([
    { endpoint: undefined, location: 'https://evil.example/k' },
    { endpoint: undefined, location: 'https://ec2-1-2-3-4.compute.amazonaws.com/k' },
    { endpoint: undefined, location: 'https://x.execute-api.us-east-1.amazonaws.com/s3' },
    { endpoint: undefined, location: 'https://s3-x-123.us-east-1.elb.amazonaws.com/k' },
    { endpoint: undefined, location: 'https://s3-x-123.elb.us-east-1.amazonaws.com/k' },
    { endpoint: undefined, location: 'https://photos.s3.cn-north-1.amazonaws.com.cn/k' },
    { endpoint: undefined, location: 'https://s3.amazonaws.com.evil.example/k' },
    { endpoint: 'https://s3.example.com', location: 'https://evil.example/k' },
    { endpoint: 'https://s3.example.com', location: 'https://evils3.example.com/k' },
    { endpoint: 'https://s3.example.com', location: 'https://photos.s3.amazonaws.com/k' },
    { endpoint: 'https://s3.example.com', location: 'https://s3.example.com@evil.example/k' },
    { endpoint: 'https://s3.example.com', location: '//evil.example/k' },
    { endpoint: 'https://s3.example.com', location: 'http://s3.example.com/k' },
  ])('is not followed from $endpoint to $location', ({ endpoint, location }) => {
    const before = endpoint === undefined ? 'photos.s3.us-east-1.amazonaws.com' : 'photos.s3.example.com';
    expect(hostAfter(endpoint, location)).toBe(before);
  });

  it('to another host is named in the advice and not followed', () => {
    const addresses = new EndpointAddresses({ endpoint: 'https://s3.example.com', region: 'us-east-1', pathStyle: true });
    const error = redirect('https://evil.example/photos/k');
    expect(addresses.learn('photos', addresses.of('photos'), error)).toBe(false);
    expect(error.advice).toContain('evil.example');
  });

  it('with a region that contains a host name changes nothing', () => {
    const addresses = new EndpointAddresses({ region: 'us-east-1', pathStyle: false });
    const error = new S3Error('PermanentRedirect', '', { status: 301, region: 'evil.example/#' });
    addresses.learn('photos', addresses.of('photos'), error);
    expect(addresses.of('photos').origin.hostname).toBe('photos.s3.us-east-1.amazonaws.com');
  });
});

describe('an AWS endpoint', () => {
  const addressOf = (bucket: string, region: string, endpoint?: string) => {
    const { origin, base } = new EndpointAddresses({ region, pathStyle: false, ...(endpoint && { endpoint }) }).of(bucket);
    return origin.host + base;
  };

  it('contains the bucket in its host if the certificate covers that host', () => {
    expect(addressOf('photos', 'eu-west-1')).toBe('photos.s3.eu-west-1.amazonaws.com');
    expect(addressOf('my.site', 'eu-west-1')).toBe('s3.eu-west-1.amazonaws.com/my.site');
    expect(addressOf('my.site', 'eu-west-1', 'http://store:9000')).toBe('my.site.store:9000');
  });

  it('of China ends in .com.cn', () => {
    expect(addressOf('photos', 'cn-north-1')).toBe('photos.s3.cn-north-1.amazonaws.com.cn');
  });
});
