const whole = new BigUint64Array(1);
const pair = new Uint32Array(whole.buffer);

/**
 * Two rounds of multiply-and-mix over the text, as MurmurHash3 finishes. Two different fingerprints among ten million
 * share one with a chance of one in four hundred thousand. Never 0.
 */
export function hash64(text: string): bigint {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    high = (high << 13) | (high >>> 19);
    low = Math.imul(low ^ unit, 0x5f356495);
    low = (low << 15) | (low >>> 17);
  }
  high = mix(high ^ text.length ^ low);
  low = mix(low ^ high);
  pair[0] = low;
  pair[1] = high;
  return whole[0] || 1n;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
