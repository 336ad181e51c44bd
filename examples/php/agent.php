<?php
// Forwards a request with the session's token to the AG-UI agent at the address AGENT of the environment, and streams
// the answer.

declare(strict_types=1);

require __DIR__ . '/session.php';

/** Refuses the request. */
function refuse(int $status, string $reason): never
{
    http_response_code($status);
    header('Content-Type: text/plain; charset=utf-8');
    exit($reason);
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    header('Allow: POST');
    refuse(405, 'POST only');
}
if (!hash_equals(session_token(), $_SERVER['HTTP_X_CSRF_TOKEN'] ?? '')) {
    refuse(403, 'The token of the page is missing or no longer valid.');
}

// A buffer would collect the answer.
while (ob_get_level() > 0) {
    ob_end_clean();
}
header('Cache-Control: no-store');
header('X-Accel-Buffering: no');

// A script that PHP ends could not end the request to the agent.
ignore_user_abort(true);

$request = curl_init(getenv('AGENT') ?: 'http://127.0.0.1:8000/');
curl_setopt_array($request, [
    CURLOPT_POSTFIELDS => file_get_contents('php://input'),
    CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Accept: text/event-stream'],
    CURLOPT_WRITEFUNCTION => function (CurlHandle $request, string $piece): int {
        if (!headers_sent()) {
            http_response_code(curl_getinfo($request, CURLINFO_RESPONSE_CODE));
            header('Content-Type: ' . curl_getinfo($request, CURLINFO_CONTENT_TYPE));
        }
        echo $piece;
        flush();
        // Another length ends the request to the agent, when the user has stopped the answer or left the page.
        return connection_aborted() ? -1 : strlen($piece);
    },
]);
curl_exec($request);
if (!headers_sent()) {
    refuse(502, 'The agent cannot be reached.');
}
