import { openFsBytes } from '../../server/service/drivers/bytes/fs.js';

// Stores a blob for every id that its parent process sends, and returns the outcome.
const driver = await openFsBytes(process.argv[2]!);
await driver.recover();
process.on('message', async (id: string) => {
  if (id === 'close') {
    await driver.close();
    process.exit();
  }
  const written = driver.write(id, Buffer.from(`bytes of ${id}`));
  process.send!(
    await written.then(
      () => 'stored',
      (cause: NodeJS.ErrnoException) => cause.code ?? cause.message,
    ),
  );
});
process.send!('ready');
