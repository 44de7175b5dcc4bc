import '@angular/compiler';
import { Component, CUSTOM_ELEMENTS_SCHEMA, provideZonelessChangeDetection, signal } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import type { SvcUploaderEvents } from 'svc-uploader';
import 'svc-uploader';

@Component({
  selector: 'app-attachments',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <form #form (submit)="send($event, form)">
      <svc-uploader
        name="files"
        label="Attachments"
        multiple
        token-endpoint="/upload-token"
        (svc-upload-success)="add($event)"
      ></svc-uploader>
      <ul id="stored">
        @for (path of stored(); track path) {
          <li>{{ path }}</li>
        }
      </ul>
      <button>Send</button>
      <output id="sent">{{ sent() }}</output>
    </form>
  `,
})
export class Attachments {
  readonly stored = signal<string[]>([]);
  readonly sent = signal('');

  add(event: SvcUploaderEvents['svc-upload-success']): void {
    this.stored.update((paths) => [...paths, event.detail.record.path]);
  }

  send(event: Event, form: HTMLFormElement): void {
    event.preventDefault();
    this.sent.set(new FormData(form).getAll('files').join(', '));
  }
}

await bootstrapApplication(Attachments, { providers: [provideZonelessChangeDetection()] });
