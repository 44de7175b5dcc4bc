import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Starts a DNS server with TXT records (https://www.rfc-editor.org/rfc/rfc1035#section-4). For null it returns an error. */
export async function startDns(records: Map<string, string | null>) {
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const record = records.get(labels.join('.').toLowerCase());
    const text = record ?? undefined;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // Response codes: 3 no such name, 2 server failure, 0 success.
    header.writeUInt16BE(record === undefined ? 0x8183 : record === null ? 0x8182 : 0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(text === undefined ? 0 : 1, 6);
    const response = Buffer.alloc(12);
    response.writeUInt16BE(0xc00c, 0);
    response.writeUInt16BE(16, 2);
    response.writeUInt16BE(1, 4);
    response.writeUInt16BE((text?.length ?? 0) + 1, 10);
    const parts = text === undefined ? [] : [response, Buffer.from([text.length]), Buffer.from(text)];
    socket.send(Buffer.concat([header, question, ...parts]), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, close: () => socket.close() };
}
