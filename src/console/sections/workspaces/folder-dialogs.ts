import { html } from 'lit';
import { openForm, selectField, textField, textOf } from '../../components/form.js';
import { nameField } from './fields.js';
import { FOLDER_COLORS } from './records.js';
import type { Folder } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Creates or changes a folder. @returns whether it was saved */
export async function folderDialog(view: WorkspaceView, folder?: Folder): Promise<boolean> {
  const { folders, problems } = workspacesTexts;
  const saved = await openForm<unknown>(folder ? folders.changeTitle(folder.name) : folders.create, {
    fields: (form) =>
      html`${nameField(form, folders.name, folder?.name)}
      ${selectField(form, {
        name: 'color',
        label: folders.color,
        choices: FOLDER_COLORS.map((color) => [color, folders.colors[color]]),
        value: folder?.color ?? 'neutral',
      })}`,
    submit: folder ? folders.save : folders.create,
    send: (data, signal) => {
      const { account } = view.context;
      const body = { name: textOf(data, 'name'), color: data.get('color') };
      return folder
        ? account.patch(view.path(`/folders/${folder.id}`), { signal, body })
        : account.post(view.path('/folders'), { signal, body });
    },
    problems,
  });
  return saved !== undefined;
}

/** Puts a bucket into a folder, or among the favorites. The API has no list of buckets, so the person types its name. */
export async function bucketDialog(view: WorkspaceView, folder?: Folder): Promise<boolean> {
  const { folders, problems } = workspacesTexts;
  const added = await openForm<unknown>(folder ? folders.addTitle(folder.name) : folders.addFavorite, {
    fields: (form) =>
      textField(form, {
        name: 'bucket',
        label: folders.bucket,
        hint: folders.bucketHint,
        isFocused: true,
        isRequired: true,
        maxLength: 255,
      }),
    submit: folders.add,
    send: (data, signal) => {
      const name = encodeURIComponent(textOf(data, 'bucket'));
      const place = folder ? `/folders/${folder.id}/resources` : '/favorites';
      return view.context.account.put(view.path(`${place}/bucket/${name}`), { signal, body: {} });
    },
    problems: { ...problems, NOT_FOUND: folders.noBucket },
  });
  return added !== undefined;
}
