import { createRoot } from 'react-dom/client';
import { Attachments } from './Attachments.js';

createRoot(document.getElementById('app')!).render(<Attachments />);
