# frozen_string_literal: true

# A page of Rails with the chat in it, under a strict policy, and a controller that forwards requests to the AG-UI agent
# at the address AGENT of the environment. An application has the same lines in the files of its folders.

require "action_controller/railtie"
require "digest"
require "net/http"

HERE = Pathname(__dir__).realpath
# The packed npm package in `assistant/`, with the script and the style sheet of the page.
FILES = HERE.join("../../dist/static")
AGENT = URI(ENV.fetch("AGENT", "http://127.0.0.1:8000/"))

class Shop < Rails::Application
  config.root = HERE
  config.load_defaults 6.1
  config.eager_load = true
  config.cache_classes = true
  config.logger = ActiveSupport::Logger.new($stderr, level: Logger::WARN)
  # Several processes need the same key.
  config.secret_key_base = ENV.fetch("SECRET_KEY_BASE") { SecureRandom.hex(64) }
  config.session_store :cookie_store, key: "_shop", same_site: :lax
  config.paths["public"] = FILES.to_s
  config.public_file_server.enabled = true
  # The folder has another page at the root.
  config.public_file_server.index_name = "none"

  config.content_security_policy do |policy|
    policy.default_src :none
    policy.script_src :self, "'wasm-unsafe-eval'"
    policy.style_src :self
    policy.connect_src :self
    policy.img_src :self, :data
    policy.base_uri :none
    policy.form_action :none
    policy.frame_ancestors :none
  end

  routes.append do
    root to: "orders#index"
    post "agent", to: "agent#create"
  end
end

class OrdersController < ActionController::Base
  prepend_view_path HERE

  def index
    # The last name is markup, unless the view escapes it.
    @orders = { "A-17" => 40, "B-4" => 120, '"><b>&quot;' => 60 }
    @hash = Digest::SHA384.file(FILES.join("assistant/element.js")).base64digest
    render template: "page"
  end
end

class AgentController < ActionController::Base
  include ActionController::Live
  protect_from_forgery with: :exception
  rescue_from(ActionController::InvalidAuthenticityToken) { refuse :forbidden, "The token of the page is missing or no longer valid." }
  UNREACHABLE = [SystemCallError, SocketError, Timeout::Error, IOError, OpenSSL::SSL::SSLError, Net::HTTPBadResponse].freeze
  rescue_from(*UNREACHABLE) { refuse :bad_gateway, "The agent cannot be reached." }

  # Forwards the request and streams the answer. An agent that sends nothing for ten minutes is given up.
  def create
    Net::HTTP.start(AGENT.host, AGENT.port, use_ssl: AGENT.scheme == "https", read_timeout: 600) do |agent|
      headers = { "content-type" => "application/json", "accept" => "text/event-stream" }
      agent.request_post(AGENT.request_uri, request.raw_post, headers) do |answer|
        response.status = answer.code.to_i
        response.headers["Content-Type"] = answer["Content-Type"] || "application/octet-stream"
        # Rack::ETag collects an answer that has neither of its headers.
        response.headers["Last-Modified"] = Time.now.httpdate
        response.headers["X-Accel-Buffering"] = "no"
        answer.read_body { |piece| response.stream.write(piece) }
      end
    end
    response.stream.close
  rescue ActionController::Live::ClientDisconnected
    # The user has stopped the answer, or left the page, which is noticed when the agent sends the next piece.
    response.stream.close
  end

  private

  def refuse(status, reason)
    render plain: reason, status: status
  end
end

run Shop.initialize!
