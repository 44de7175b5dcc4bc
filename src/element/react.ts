'use client';

import { createComponent } from '@lit/react';
import * as React from 'react';
import type { FormElement } from './form/form-element.js';
import type { UploaderAttributes } from './attributes.js';
import { SvcUploader as UploaderElement } from './svc-uploader.js';
import type { SvcUploaderEvents } from './events.js';
import { register } from './register.js';

type PascalCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Capitalize<Head>}${PascalCase<Tail>}`
  : Capitalize<Name>;
type Handler<E extends Event> = ((event: E & { readonly currentTarget: UploaderElement }) => void) | undefined;

interface NativeEvents {
  input: Event;
  change: Event;
  cancel: Event;
  invalid: Event;
}
type Events = NativeEvents & SvcUploaderEvents;

/** `svc-upload-success` is listened to by `onSvcUploadSuccess`, and so on. All events are the platform's, not React's. */
export type SvcUploaderHandlers = { [K in keyof Events as `on${PascalCase<K>}`]?: Handler<Events[K]> };

type FormProperty = 'name' | 'required' | 'disabled' | 'readOnly' | 'submitWaits';
type SettableProperty = Exclude<keyof UploaderAttributes, keyof FormElement> | FormProperty;
type OwnProps = SvcUploaderHandlers & { [K in SettableProperty]?: UploaderElement[K] | undefined };

/** Everything that a page may set on the element, its events, and what every element of a page takes. */
export type SvcUploaderProps = OwnProps & Omit<React.HTMLAttributes<UploaderElement>, keyof OwnProps>;

const events = {
  onInput: 'input',
  onChange: 'change',
  onCancel: 'cancel',
  onInvalid: 'invalid',
  onSvcFileAdd: 'svc-file-add',
  onSvcFileReject: 'svc-file-reject',
  onSvcUploadStart: 'svc-upload-start',
  onSvcUploadProgress: 'svc-upload-progress',
  onSvcUploadSuccess: 'svc-upload-success',
  onSvcUploadError: 'svc-upload-error',
  onSvcUploadRetry: 'svc-upload-retry',
  onSvcUploadStall: 'svc-upload-stall',
  onSvcComplete: 'svc-complete',
} as const satisfies { [K in keyof Events as `on${PascalCase<K>}`]: K };

register();

type Component = React.ForwardRefExoticComponent<SvcUploaderProps & React.RefAttributes<UploaderElement>>;

const BaseComponent = createComponent({
  react: React,
  tagName: 'svc-uploader',
  elementClass: UploaderElement,
  events,
}) as Component;

/**
 * Marks the input that serves without JavaScript. The element hides and disables it, in a streamed page before React hydrates it, and
 * React would report both attributes.
 */
const suppressInputWarning = (child: React.ReactNode): React.ReactNode =>
  React.isValidElement<React.InputHTMLAttributes<HTMLInputElement>>(child) && child.type === 'input'
    ? React.cloneElement(child, { suppressHydrationWarning: true })
    : child;

/** `<svc-uploader>` as a React component; a ref gives the element. */
export const SvcUploader: Component = React.forwardRef<UploaderElement, SvcUploaderProps>(({ children, ...props }, ref) =>
  React.createElement(BaseComponent, { ...props, ref }, React.Children.map(children, suppressInputWarning)),
);
SvcUploader.displayName = 'SvcUploader';
