export { createS3Client, type S3ClientOptions } from './create-s3-client.ts';
export { S3ArchiveStorage, type S3ArchiveStorageOptions } from './s3-archive-storage.ts';
