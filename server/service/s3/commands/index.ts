import type { Command } from '../command.js';
import { abortMultipartUpload } from './abort-multipart-upload.js';
import { completeMultipartUpload } from './complete-multipart-upload.js';
import { copyObject } from './copy-object.js';
import { createBucket } from './create-bucket.js';
import { createMultipartUpload } from './create-multipart-upload.js';
import { deleteBucketCors } from './delete-bucket-cors.js';
import { deleteBucketTagging } from './delete-bucket-tagging.js';
import { deleteBucket } from './delete-bucket.js';
import { deleteObjectTagging } from './delete-object-tagging.js';
import { deleteObject } from './delete-object.js';
import { deleteObjects } from './delete-objects.js';
import { getBucketAcl } from './get-bucket-acl.js';
import { getBucketCors } from './get-bucket-cors.js';
import { getBucketLocation } from './get-bucket-location.js';
import { getBucketTagging } from './get-bucket-tagging.js';
import { getBucketVersioning } from './get-bucket-versioning.js';
import { getObjectAcl } from './get-object-acl.js';
import { getObjectAttributes } from './get-object-attributes.js';
import { getObjectTagging } from './get-object-tagging.js';
import { getObject } from './get-object.js';
import { headBucket } from './head-bucket.js';
import { headObject } from './head-object.js';
import { listBuckets } from './list-buckets.js';
import { listMultipartUploads } from './list-multipart-uploads.js';
import { listObjectVersions } from './list-object-versions.js';
import { listObjectsV2 } from './list-objects-v2.js';
import { listObjects } from './list-objects.js';
import { listParts } from './list-parts.js';
import { putBucketAcl } from './put-bucket-acl.js';
import { putBucketCors } from './put-bucket-cors.js';
import { putBucketTagging } from './put-bucket-tagging.js';
import { putObjectAcl } from './put-object-acl.js';
import { putObjectTagging } from './put-object-tagging.js';
import { putObject } from './put-object.js';
import { uploadPartCopy } from './upload-part-copy.js';
import { uploadPart } from './upload-part.js';

/** All S3 operations of the endpoint. `find-command.ts` selects one for a request. */
export const commands: readonly Command[] = [
  abortMultipartUpload,
  completeMultipartUpload,
  copyObject,
  createBucket,
  createMultipartUpload,
  deleteBucketCors,
  deleteBucketTagging,
  deleteBucket,
  deleteObjectTagging,
  deleteObject,
  deleteObjects,
  getBucketAcl,
  getBucketCors,
  getBucketLocation,
  getBucketTagging,
  getBucketVersioning,
  getObjectAcl,
  getObjectAttributes,
  getObjectTagging,
  getObject,
  headBucket,
  headObject,
  listBuckets,
  listMultipartUploads,
  listObjectVersions,
  listObjectsV2,
  listObjects,
  listParts,
  putBucketAcl,
  putBucketCors,
  putBucketTagging,
  putObjectAcl,
  putObjectTagging,
  putObject,
  uploadPartCopy,
  uploadPart,
];
