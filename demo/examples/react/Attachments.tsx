import { useState } from 'react';
import type { FormEvent } from 'react';
import { SvcUploader } from 'svc-uploader/react';

export function Attachments() {
  const [stored, setStored] = useState<string[]>([]);
  const [sent, setSent] = useState('');

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setSent(new FormData(event.currentTarget).getAll('files').join(', '));
  }

  return (
    <form onSubmit={submit}>
      <SvcUploader
        name="files"
        label="Attachments"
        multiple
        tokenEndpoint="/upload-token"
        onSvcUploadSuccess={({ detail }) => setStored((paths) => [...paths, detail.record.path])}
      />
      <ul id="stored">
        {stored.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
      <button>Send</button>
      <output id="sent">{sent}</output>
    </form>
  );
}
