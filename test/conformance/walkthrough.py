"""Runs boto3 against an S3 endpoint. The exit status is 0 if every step succeeds. Environment: ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY."""

import io
import os
import urllib.request
import uuid

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import ClientError

s3 = boto3.client(
    "s3",
    endpoint_url=os.environ["ENDPOINT"],
    region_name="us-east-1",
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
)
bucket = "boto3-bucket"


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return
    raise AssertionError(f"not refused with {code}")


s3.create_bucket(Bucket=bucket)
assert bucket in [one["Name"] for one in s3.list_buckets()["Buckets"]]
s3.head_bucket(Bucket=bucket)
assert s3.get_bucket_location(Bucket=bucket)["LocationConstraint"] is None
assert "Status" not in s3.get_bucket_versioning(Bucket=bucket)

names = ["a b+c%20.txt", "ü/🐘", "a\u0308", "x&<y>'\"", "line\nfeed\ttab", "k" * 1024]
for name in names:
    s3.put_object(Bucket=bucket, Key=name, Body=name.encode(), Metadata={"name": "value"}, ContentType="text/plain")
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, PaginationConfig={"PageSize": 2})
assert sorted(one["Key"] for page in pages for one in page["Contents"]) == sorted(names)
for name in names:
    got = s3.get_object(Bucket=bucket, Key=name)
    assert got["Body"].read() == name.encode() and got["Metadata"] == {"name": "value"}, name

# In parts, several at once, up and down.
data = os.urandom(18 * 1024 * 1024)
transfer = TransferConfig(multipart_threshold=5 * 1024 * 1024, multipart_chunksize=5 * 1024 * 1024, max_concurrency=4)
s3.upload_fileobj(io.BytesIO(data), bucket, "large", Config=transfer, ExtraArgs={"ChecksumAlgorithm": "SHA256"})
back = io.BytesIO()
s3.download_fileobj(bucket, "large", back, Config=transfer)
assert back.getvalue() == data
s3.copy({"Bucket": bucket, "Key": "large"}, bucket, "large copy", Config=transfer)
assert s3.head_object(Bucket=bucket, Key="large copy")["ContentLength"] == len(data)

# Addresses and forms.
url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "ü/🐘"}, ExpiresIn=60)
assert urllib.request.urlopen(url).read() == "ü/🐘".encode()
post = s3.generate_presigned_post(bucket, "posted/${filename}", Conditions=[["content-length-range", 1, 100]], ExpiresIn=60)
boundary = uuid.uuid4().hex
parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in post["fields"].items()]
parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\nposted\r\n--{boundary}--\r\n')
headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
assert urllib.request.urlopen(urllib.request.Request(post["url"], "".join(parts).encode(), headers)).status == 204
assert s3.get_object(Bucket=bucket, Key="posted/f.txt")["Body"].read() == b"posted"

refused("NoSuchKey", s3.get_object, Bucket=bucket, Key="gone")
refused("NoSuchBucket", s3.list_objects, Bucket="no-such-bucket")
refused("BucketNotEmpty", s3.delete_bucket, Bucket=bucket)
refused("NotImplemented", s3.put_bucket_versioning, Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})

resource = boto3.resource("s3", endpoint_url=os.environ["ENDPOINT"], region_name="us-east-1")
resource.Bucket(bucket).objects.all().delete()
s3.delete_bucket(Bucket=bucket)
