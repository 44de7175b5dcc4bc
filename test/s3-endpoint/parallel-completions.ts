import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';

const AT_ONCE = 8;

/**
 * Uploads an object in one part and completes it from two clients in turn: eight times at once, then once more from each.
 * @returns the ETag of each response
 */
export async function completeOften(clients: readonly S3Client[], Bucket: string, Key: string): Promise<(string | undefined)[]> {
  const { UploadId } = await clients[0]!.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: randomBytes(100_000) });
  const { ETag } = await clients[0]!.send(part);
  const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
  const complete = async (at: number) => {
    const command = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload });
    return (await clients[at % 2]!.send(command)).ETag;
  };
  const first = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => complete(at)));
  return [...first, await complete(0), await complete(1)];
}
