const form = document.getElementById('app');

form.addEventListener('svc-upload-success', ({ detail: { record } }) => {
  const row = document.createElement('li');
  row.textContent = record.path;
  document.getElementById('stored').append(row);
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  document.getElementById('sent').textContent = new FormData(form).getAll('files').join(', ');
});
