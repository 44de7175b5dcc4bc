// The same suites against this product's own endpoint, which keeps checksums where Ceph 16 has none.
process.env['BULK_ENGINE'] = 'own';
await import('./upload.test.js');
await import('./download.test.js');
await import('./sync.test.js');
await import('./faults.test.js');

export {};
