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
    // Without the last header, cURL waits for an agent's consent before it sends a long request.
    CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Accept: text/event-stream', 'Expect:'],
    // An agent that sends nothing for ten minutes is given up.
    CURLOPT_LOW_SPEED_LIMIT => 1,
    CURLOPT_LOW_SPEED_TIME => 600,
    CURLOPT_WRITEFUNCTION => function (CurlHandle $request, string $piece): int {
        if (!headers_sent()) {
            http_response_code(curl_getinfo($request, CURLINFO_RESPONSE_CODE));
            header('Content-Type: ' . curl_getinfo($request, CURLINFO_CONTENT_TYPE));
        }
        echo $piece;
        flush();
        // Another length ends the request to the agent. That the user has stopped the answer, or left the page, is noticed
        // when the agent sends the next piece.
        return connection_aborted() ? -1 : strlen($piece);
    },
]);
curl_exec($request);
if (!headers_sent()) {
    // An answer without a body has only a status.
    $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    refuse($status ?: 502, $status ? '' : 'The agent cannot be reached.');
}
